#!/usr/bin/env node
// What `speech-infra` starts: installs once, then runs speech-infra.ts on the project's own Node.
import { launch } from "./launch.mjs";

await launch(["bin/speech-infra.ts", ...process.argv.slice(2)]);
