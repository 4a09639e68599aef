import { run } from "../cli/run.ts";
import { speechBench } from "../cli/speech-bench/program.ts";

await run(speechBench);
