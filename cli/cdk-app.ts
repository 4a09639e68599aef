/** What `cdk` starts, by cdk.json: no flags, the context says all. A wrong context is one sentence and exit code 2. */
import { Command } from "commander";
import { readCdkSettings } from "../lib/config/cdk-settings.ts";
import type { CliContext } from "./run.ts";

export function cdkApp({ env }: CliContext): Command {
  return new Command("app")
    .description("Writes the CDK app's cloud assembly; started by cdk.")
    .action(async () => {
      const { contextApp } = await import("../stacks/context-app.ts");
      contextApp(readCdkSettings(env)).synth();
    });
}
