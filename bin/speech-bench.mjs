#!/usr/bin/env node
// What `speech-bench` starts: installs once, then runs speech-bench.ts on the project's own Node.
import { launch } from "./launch.mjs";

await launch(["bin/speech-bench.ts", ...process.argv.slice(2)]);
