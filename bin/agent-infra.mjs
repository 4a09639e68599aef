#!/usr/bin/env node
// What `agent-infra` starts: installs once, then runs agent-infra.ts on the project's own Node.
import { launch } from "./launch.mjs";

await launch(["bin/agent-infra.ts", ...process.argv.slice(2)]);
