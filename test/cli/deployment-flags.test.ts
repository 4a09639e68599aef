import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { agentInfra } from "../../cli/agent-infra/program.ts";
import { Output } from "../../cli/output.ts";
import type { CliContext } from "../../cli/run.ts";
import { speechInfra } from "../../cli/speech-infra/program.ts";
import { MemoryStream } from "../helpers/memory-stream.ts";

const context: CliContext = {
  output: new Output({ stdout: new MemoryStream(), stderr: new MemoryStream(), json: false, plain: true }),
  signal: new AbortController().signal,
  env: {},
  stdin: new PassThrough(),
};
const LOCAL = ["say", "voices", "serve", "demo"];

const commands = [speechInfra(context), agentInfra(context)].flatMap((program) =>
  program.commands
    .filter((command) => !LOCAL.includes(command.name()))
    .map((command) => ({
      name: `${program.name()} ${command.name()}`,
      flags: command.options.map(({ long }) => long),
    })),
);

it.each(commands)("$name takes the flags that a pipeline gives every command", ({ name, flags }) => {
  expect(flags).toEqual(expect.arrayContaining(["--region", "--profile", "--json", "--yes"]));
  // The list is of all stages.
  if (name !== "speech-infra list") expect(flags).toContain("--stage");
});
