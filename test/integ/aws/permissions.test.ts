/** The policies that the commands print are enough for the commands, judged by IAM's rules in the emulator. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type AwsEmulator,
  EMULATED_ACCOUNT,
  EMULATED_REGION,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { LightModel } from "../../helpers/light-model.ts";
import type { Program } from "../../helpers/run-cli.ts";
import { runInside } from "../../helpers/run-inside.ts";
import { python } from "./emulator-session.ts";

const model = python === undefined ? undefined : await LightModel.make();
const AGENT = ["--bedrock-model-id", "us.amazon.nova-lite-v1:0"];
const PLACE = ["--account", EMULATED_ACCOUNT, "--region", EMULATED_REGION];

// One test after the other: each goes on from where the last one left the account.
describe.skipIf(model === undefined)("with the policy that a side's command prints", () => {
  let emulator: AwsEmulator;
  let folder: string;
  beforeAll(async () => {
    emulator = await startAwsEmulator(python!);
    for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
    vi.stubEnv("KOKORO_MODEL_DIR", model!.path);
    folder = await mkdtemp(join(tmpdir(), "permissions-"));
    await bootstrapEmulator(emulator);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await emulator?.close();
    await model?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function run(program: Program, ...args: string[]): Promise<string> {
    const before = (await emulator.state()).refused.length;
    const { exitCode, stdout, stderr } = await runInside(program, args);
    const refused = (await emulator.state()).refused.slice(before);
    expect({ exitCode, refused }, `${args.join(" ")}: ${stderr}${stdout}`).toEqual({
      exitCode: 0,
      refused: [],
    });
    return stdout;
  }

  async function allowOnly(program: Program): Promise<void> {
    await emulator.allowOnly(undefined);
    await emulator.allowOnly(JSON.parse(await run(program, "permissions", ...PLACE)));
  }

  it("speech is checked, deployed and operated", async () => {
    await allowOnly("speech-infra");
    const checks = await run("speech-infra", "deploy", "kokoro-82m", "--dry-run");
    expect(checks).not.toContain("could not be checked");
    await run("speech-infra", "deploy", "kokoro-82m", "--yes", "--json");
    await run("speech-infra", "status");
    await run("speech-infra", "list");
    await run("speech-infra", "logs");
    await run("speech-infra", "logs", "--build");
    await run("speech-infra", "sync-model");
    await run("speech-infra", "deploy", "kokoro-82m", "--instance-type", "ml.g5.2xlarge", "--yes", "--json");
  });

  it("the agent is checked, deployed, asked, and taken away", async () => {
    await allowOnly("agent-infra");
    const checks = await run("agent-infra", "deploy", ...AGENT, "--dry-run");
    expect(checks).not.toContain("could not be checked");
    await run("agent-infra", "deploy", ...AGENT, "--yes", "--json");
    await run("agent-infra", "status");
    await run("agent-infra", "logs");
    await run("agent-infra", "invoke", "Hello?", "--out", join(folder, "answer.wav"));
    await run("agent-infra", "destroy", "--purge", "--yes", "--json");
  });

  it("speech is taken away with all that it kept", async () => {
    await allowOnly("speech-infra");
    await run("speech-infra", "destroy", "kokoro-82m", "--purge", "--yes", "--json");
    await emulator.allowOnly(undefined);
    const { endpoints, repositories, buckets } = await emulator.state();
    expect({ endpoints, repositories }).toEqual({ endpoints: {}, repositories: expect.any(Object) });
    expect(Object.keys(buckets).filter((name) => name.startsWith("speech-"))).toEqual([]);
  });

  it("another stage is out of reach", async () => {
    await allowOnly("speech-infra");
    const { exitCode, stderr } = await runInside("speech-infra", ["status", "--stage", "dev"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("may not do sagemaker:DescribeEndpoint");
  });
});
