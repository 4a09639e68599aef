import { run } from "../cli/run.ts";
import { speechInfra } from "../cli/speech-infra/program.ts";

await run(speechInfra);
