import { agentInfra } from "../cli/agent-infra/program.ts";
import { run } from "../cli/run.ts";

await run(agentInfra);
