/** The commands of `agent-infra`. */
import { Command } from "commander";
import type { CliContext } from "../run.ts";
import { demoCommand } from "./demo.ts";
import { deployCommand } from "./deploy.ts";
import { destroyCommand } from "./destroy.ts";
import { diffCommand } from "./diff.ts";
import { invokeCommand } from "./invoke.ts";
import { logsCommand } from "./logs.ts";
import { permissionsCommand } from "./permissions.ts";
import { serveCommand } from "./serve.ts";
import { statusCommand } from "./status.ts";
import { synthCommand } from "./synth.ts";

export function agentInfra(context: CliContext): Command {
  return new Command("agent-infra")
    .description("A voice agent that speaks while it thinks: try it here, or put it on AWS.")
    .addCommand(demoCommand(context))
    .addCommand(serveCommand(context))
    .addCommand(deployCommand(context))
    .addCommand(destroyCommand(context))
    .addCommand(diffCommand(context))
    .addCommand(synthCommand(context))
    .addCommand(invokeCommand(context))
    .addCommand(statusCommand(context))
    .addCommand(logsCommand(context))
    .addCommand(permissionsCommand(context))
    .addHelpText(
      "after",
      `
Examples:
  agent-infra demo                    the whole system on this machine, bidi against batch
  agent-infra serve                   the agent on http://127.0.0.1:8081, ready for curl
  agent-infra demo --help             every flag, with examples`,
    );
}
