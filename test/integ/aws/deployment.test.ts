/**
 * The commands as a pipeline runs them, end to end in the emulator, with builds of the source zip. Twice as processes;
 * else inside this one, because loading the CDK takes longer than all that it does here.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type AwsEmulator,
  EMULATED_ACCOUNT as account,
  EMULATED_REGION as region,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { LightModel } from "../../helpers/light-model.ts";
import { type CliResult, killCommands, type Program, RunningCli } from "../../helpers/run-cli.ts";
import { runInside } from "../../helpers/run-inside.ts";
import { python } from "./emulator-session.ts";

const model = python === undefined ? undefined : await LightModel.make();

const SPEECH = "speech-kokoro-82m";
const WEIGHTS = `${SPEECH}-${account}-${region}`;
const AGENT = ["--bedrock-model-id", "us.amazon.nova-lite-v1:0"];
const NOTHING_RUNS = { endpoints: {}, endpointConfigs: [], models: [], scalableTargets: [], runtimes: {} };

interface Answer {
  readonly steps: readonly { readonly step: string; readonly state: string }[];
  readonly kept: readonly { readonly kind: string; readonly name: string; readonly usdPerMonth: number }[];
  readonly [key: string]: unknown;
}

// One test after the other: each goes on from where the last one left the account.
describe.skipIf(model === undefined)("the commands in the emulator", () => {
  let emulator: AwsEmulator;
  let scratch: string;
  beforeAll(async () => {
    emulator = await startAwsEmulator(python!);
    for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
    vi.stubEnv("KOKORO_MODEL_DIR", model!.path);
    scratch = await mkdtemp(join(tmpdir(), "deployment-"));
  });
  afterAll(async () => {
    killCommands();
    vi.unstubAllEnvs();
    await emulator?.close();
    await model?.[Symbol.asyncDispose]();
    await rm(scratch, { recursive: true, force: true });
  });

  const start = (program: Program, ...args: string[]) =>
    new RunningCli(program, args, { env: { ...emulator.env, KOKORO_MODEL_DIR: model!.path } });
  const run = (program: Program, ...args: string[]): Promise<CliResult> => runInside(program, args);
  const inPipeline = async (program: Program, ...args: string[]): Promise<Answer> =>
    answerOf(await run(program, ...args, "--yes", "--json"));

  it("fail to deploy where CDK is not bootstrapped, and name the flag that does it", async () => {
    const { exitCode, stderr } = await run("speech-infra", "deploy", "kokoro-82m", "--yes");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/bootstrap .*--bootstrap/);
    expect((await emulator.state()).calls.filter((call) => call.includes("Create"))).toEqual([]);
  });

  it("deploy speech, bootstrapping first", async () => {
    const args = ["deploy", "kokoro-82m", "--bootstrap", "--yes", "--json"];
    const answer = answerOf(await start("speech-infra", ...args).ended);
    expect(stepsOf(answer)).toEqual([
      "content done",
      "bootstrap done",
      "foundation done",
      "image done",
      "model-cache done",
      "model done",
      "endpoint done",
      "in-service done",
    ]);
    expect(answer).toMatchObject({
      stage: "main",
      region,
      account,
      endpointName: SPEECH,
      endpointStatus: "InService",
      modelBucket: WEIGHTS,
      imageUri: expect.stringMatching(/\/speech-kokoro-82m:cuda-[0-9a-f]{16}$/),
      usdPerHour: 1.41,
    });
    expect(await emulator.state()).toMatchObject({
      endpoints: { [SPEECH]: "InService" },
      scalableTargets: [`endpoint/${SPEECH}/variant/main`],
    });
  });

  it("deploy the agent beside it", async () => {
    const answer = await inPipeline("agent-infra", "deploy", ...AGENT);
    expect(stepsOf(answer)).toEqual(["foundation done", "image done", "runtime done", "ready done"]);
    expect(answer).toMatchObject({ speechEndpointName: SPEECH, bedrockModelId: AGENT[1] });
    expect((await emulator.state()).runtimes).toEqual({ voice_agent: "READY" });
  });

  it("have nothing to do the second time, and say so", async () => {
    const before = (await emulator.state()).calls.length;
    const answer = await inPipeline("speech-infra", "deploy", "kokoro-82m");
    expect(stepsOf(answer)).toEqual([
      "content done",
      "foundation skipped",
      "image skipped",
      "model-cache skipped",
      "model skipped",
      "endpoint skipped",
      "in-service done",
    ]);
    const { calls } = await emulator.state();
    const changes = calls
      .slice(before)
      .filter((call) => /:(Execute|Create|Put|Update|Delete|Start)/.test(call));
    expect(changes.filter((call) => !/ChangeSet$/.test(call) || call.includes("Execute"))).toEqual([]);
  });

  it("show no difference, then the difference of other weights and instances", async () => {
    const same = await run("speech-infra", "diff", "kokoro-82m", "--fail");
    expect([same.exitCode, same.stdout]).toEqual([0, expect.stringContaining("No changes")]);
    await model!.writeGraphs("second");
    const { exitCode, stdout } = await run(
      "speech-infra",
      "diff",
      "kokoro-82m",
      "--max",
      "4",
      "--fail",
      "--json",
    );
    expect(exitCode).toBe(1);
    const stacks = (JSON.parse(stdout) as { stacks: { stack: string; changed: boolean }[] }).stacks;
    expect(stacks.filter(({ changed }) => changed).map(({ stack }) => stack)).toContain(`${SPEECH}-endpoint`);
  });

  it("move the endpoint to other weights and another instance type, scaling kept", async () => {
    const answer = await inPipeline(
      "speech-infra",
      "deploy",
      "kokoro-82m",
      "--instance-type",
      "ml.g5.2xlarge",
    );
    expect(stepsOf(answer)).toContain("model done");
    expect(stepsOf(answer)).toContain("endpoint done");
    expect(await emulator.state()).toMatchObject({
      endpoints: { [SPEECH]: "InService" },
      endpointConfigs: [expect.any(String)],
      scalableTargets: [`endpoint/${SPEECH}/variant/main`],
    });
  });

  it("stop waiting at Ctrl-C, say that AWS goes on, and go on themselves the next time", async () => {
    await emulator.delay({ endpoint_update: 3 });
    const deploying = start("speech-infra", "deploy", "kokoro-82m", "--yes");
    await expect
      .poll(async () => (await emulator.state()).endpoints[SPEECH], { timeout: 30_000 })
      .toBe("Updating");
    deploying.child.kill("SIGINT");
    const { exitCode, stdout, stderr } = await deploying.ended;
    expect([exitCode, stdout]).toEqual([130, ""]);
    expect(stderr).toContain(
      "AWS finishes what was begun; see how it goes with speech-infra status kokoro-82m",
    );
    const answer = await inPipeline("speech-infra", "deploy", "kokoro-82m");
    expect(stepsOf(answer).at(-1)).toBe("in-service done");
  });

  it("fail to destroy speech while the agent speaks through it", async () => {
    const { exitCode, stderr } = await run("speech-infra", "destroy", "kokoro-82m", "--yes");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/the agent of voice-agent-runtime speaks through .*agent-infra destroy/);
    expect((await emulator.state()).endpoints).toEqual({ [SPEECH]: "InService" });
  });

  it("destroy the agent, then speech, and name what is kept with its cost", async () => {
    expect(stepsOf(await inPipeline("agent-infra", "destroy", ...AGENT))).toEqual([
      "runtime done",
      "foundation done",
    ]);
    const { exitCode, stdout } = await run("speech-infra", "destroy", "kokoro-82m", "--yes");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`bucket +${WEIGHTS} +\\d+ MB`));
    expect(stdout).toContain("To delete them: speech-infra destroy kokoro-82m --purge");
    expect(await emulator.state()).toMatchObject({
      ...NOTHING_RUNS,
      buckets: { [WEIGHTS]: expect.any(Number) },
    });
  });

  it("deploy again into what was kept, without a build or an upload", async () => {
    const answer = await inPipeline("speech-infra", "deploy", "kokoro-82m");
    expect(stepsOf(answer)).toEqual(
      expect.arrayContaining(["image skipped", "model skipped", "endpoint done"]),
    );
  });

  it("purge everything that is theirs, and nothing else", async () => {
    const purged = await inPipeline("speech-infra", "destroy", "kokoro-82m", "--purge");
    expect(purged.kept).toEqual([]);
    await inPipeline("agent-infra", "destroy", "--purge");
    const { buckets, repositories, ...rest } = await emulator.state();
    expect(rest).toMatchObject(NOTHING_RUNS);
    expect(
      [...Object.keys(buckets), ...Object.keys(repositories)].filter((name) => !name.startsWith("cdk-")),
    ).toEqual([]);
  });

  it("say that nothing was there", async () => {
    const { exitCode, stdout } = await run("agent-infra", "destroy", "--yes");
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining("Nothing was there to destroy")]);
  });

  it("write the templates with no credentials and no region", async () => {
    const out = join(scratch, "templates");
    const { exitCode, stdout } = await new RunningCli(
      "speech-infra",
      ["synth", "kokoro-82m-cpu", "--out", out],
      {
        env: { AWS_ENDPOINT_URL: "http://127.0.0.1:9" },
      },
    ).ended;
    expect(exitCode).toBe(0);
    const path = stdout.trim().split("\n").at(-1)!;
    const { Resources } = JSON.parse(await readFile(path, "utf8")) as {
      Resources: Record<string, { Type: string }>;
    };
    expect(Object.values(Resources).map(({ Type }) => Type)).toContain("AWS::SageMaker::Endpoint");
  });
});

function answerOf({ exitCode, stdout, stderr }: CliResult): Answer {
  expect([exitCode, exitCode === 0 ? "" : stdout + stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Answer;
}

function stepsOf({ steps }: Answer): string[] {
  return steps.map(({ step, state }) => `${step} ${state}`);
}
