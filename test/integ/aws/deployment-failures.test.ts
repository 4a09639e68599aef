/**
 * Whatever goes wrong on the way, the same command brings the deployment to its end once the cause is mended, and a
 * destruction leaves nothing that costs money.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type AwsEmulator,
  type EmulatorFault,
  startAwsEmulator,
} from "../../helpers/aws-emulator/aws-emulator.ts";
import { bootstrapEmulator } from "../../helpers/aws-emulator/bootstrap.ts";
import { LightModel } from "../../helpers/light-model.ts";
import type { CliResult, Program } from "../../helpers/run-cli.ts";
import { runInside } from "../../helpers/run-inside.ts";
import { python } from "./emulator-session.ts";

const model = python === undefined ? undefined : await LightModel.make();

const SPEECH = "speech-kokoro-82m";
const NOTHING_RUNS = { endpoints: {}, endpointConfigs: [], models: [], scalableTargets: [], runtimes: {} };
const DEPLOY = ["deploy", "kokoro-82m", "--yes"];
const DESTROY = ["destroy", "kokoro-82m", "--yes"];
const DEPLOY_AGENT = ["deploy", "--bedrock-model-id", "us.amazon.nova-lite-v1:0", "--yes"];

type Restore = () => Promise<void>;

describe.skipIf(model === undefined)("a deployment that fails", () => {
  let emulator: AwsEmulator;
  let emptyAccount: Restore;
  let withSpeech: Restore;
  beforeAll(async () => {
    emulator = await startAwsEmulator(python!, {
      endpoint_create: 0.1,
      endpoint_update: 0.1,
      build_phase: 0.01,
    });
    for (const [name, value] of Object.entries(emulator.env)) vi.stubEnv(name, value);
    vi.stubEnv("KOKORO_MODEL_DIR", model!.path);
    await bootstrapEmulator(emulator);
    emptyAccount = await emulator.snapshot();
    await succeeds("speech-infra", ...DEPLOY);
    withSpeech = await emulator.snapshot();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await emulator?.close();
    await model?.[Symbol.asyncDispose]();
  });

  const run = (program: Program, ...args: string[]): Promise<CliResult> => runInside(program, args);
  async function succeeds(program: Program, ...args: string[]): Promise<CliResult> {
    const result = await run(program, ...args);
    expect([result.exitCode, result.exitCode === 0 ? "" : result.stderr]).toEqual([0, ""]);
    return result;
  }

  const failures: readonly [string, EmulatorFault, RegExp][] = [
    [
      "in the foundation",
      { kind: "create", resourceType: "AWS::CodeBuild::Project", reason: "too many projects" },
      /^error: cannot deploy speech-kokoro-82m-foundation: \S+ \(AWS::CodeBuild::Project\) failed: .*too many projects.*; next: speech-infra deploy kokoro-82m$/m,
    ],
    ["in the image's build", { kind: "build", outcome: "failed", reason: "no space" }, /^error: .*build.*/m],
    [
      "in the bucket of weights",
      {
        kind: "create",
        resourceType: "AWS::S3::BucketPolicy",
        stack: `${SPEECH}-model-cache`,
        reason: "denied",
      },
      /model-cache: \S+ \(AWS::S3::BucketPolicy\) failed/,
    ],
    [
      "in the sync of weights, half way",
      { kind: "upload", afterBytes: 14_000_000 },
      /^error: .*s3:PutObject/m,
    ],
    [
      "in the endpoint's model",
      { kind: "create", resourceType: "AWS::SageMaker::Model", reason: "throttled" },
      /\(AWS::SageMaker::Model\) failed: .*throttled/,
    ],
    [
      "in the endpoint, whose container does not start",
      { kind: "endpoint", reason: "The primary container did not pass the ping health check." },
      /\[container\] .*\n(.*\n)*error: .*\(AWS::SageMaker::Endpoint\) failed: .*ping health check/,
    ],
    [
      "in the scaling, after the endpoint was made",
      {
        kind: "create",
        resourceType: "AWS::ApplicationAutoScaling::ScalingPolicy",
        reason: "no such metric",
      },
      /ScalingPolicy\) failed: .*no such metric/,
    ],
  ];

  describe.each(failures)("%s", (_where, fault, words) => {
    let failed: Restore | undefined;
    beforeEach(async () => {
      if (failed !== undefined) return failed();
      await emptyAccount();
      const mend = await emulator.inject(fault);
      const { exitCode, stderr, stdout } = await run("speech-infra", ...DEPLOY);
      expect([exitCode === 0, stdout]).toEqual([false, ""]);
      expect(stderr).toMatch(words);
      await mend();
      failed = await emulator.snapshot();
    });

    it("goes on when it is run again", async () => {
      await succeeds("speech-infra", ...DEPLOY);
      expect((await emulator.state()).endpoints).toEqual({ [SPEECH]: "InService" });
    });

    it("comes down when it is destroyed", async () => {
      await succeeds("speech-infra", ...DESTROY);
      expect(await emulator.state()).toMatchObject(NOTHING_RUNS);
    });
  });

  it("fails before anything is made where the quota is 0", async () => {
    await emptyAccount();
    await emulator.inject({ kind: "quota", quota: "ml.g5.xlarge for endpoint usage", value: 0 });
    const { exitCode, stderr } = await run("speech-infra", ...DEPLOY);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/FAILED +quota/)]);
    expect((await emulator.state()).calls.filter((call) => /:(Create|Execute|Put)/.test(call))).toEqual([]);
  });

  it("fails before the endpoint is touched when the image lacks its label", async () => {
    await emptyAccount();
    await emulator.inject({ kind: "build", outcome: "missing-label", times: 1 });
    const { exitCode, stderr } = await run("speech-infra", ...DEPLOY);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("bidirectional-streaming")]);
    expect((await emulator.state()).calls).not.toContain("sagemaker:CreateEndpoint");
    await succeeds("speech-infra", ...DEPLOY);
  });

  it.each(["InService", "Failed"] as const)(
    "in an update that leaves the endpoint %s goes on and comes down",
    async (left) => {
      await withSpeech();
      await emulator.inject({ kind: "endpoint", during: "update", left, reason: "no capacity", times: 1 });
      const change = [...DEPLOY, "--instance-type", "ml.g5.2xlarge"];
      const { exitCode, stderr } = await run("speech-infra", ...change);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining("no capacity")]);
      const failed = await emulator.snapshot();
      await succeeds("speech-infra", ...change);
      expect(await emulator.state()).toMatchObject({
        endpoints: { [SPEECH]: "InService" },
        scalableTargets: [`endpoint/${SPEECH}/variant/main`],
      });
      await failed();
      await succeeds("speech-infra", ...DESTROY);
      expect(await emulator.state()).toMatchObject(NOTHING_RUNS);
    },
  );

  it("in a destruction comes down, or up again, the next time", async () => {
    await withSpeech();
    const mend = await emulator.inject({ kind: "delete", logicalId: "SpeechModel", reason: "in use" });
    const { exitCode, stderr } = await run("speech-infra", ...DESTROY);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/cannot delete .*in use.*next: speech-infra destroy/),
    ]);
    await mend();
    const failed = await emulator.snapshot();
    await succeeds("speech-infra", ...DESTROY);
    expect(await emulator.state()).toMatchObject(NOTHING_RUNS);
    await failed();
    await succeeds("speech-infra", ...DEPLOY);
    expect((await emulator.state()).endpoints).toEqual({ [SPEECH]: "InService" });
  });

  it.each<[string, EmulatorFault]>([
    [
      "in the agent's foundation",
      {
        kind: "create",
        stack: "voice-agent-foundation",
        resourceType: "AWS::CodeBuild::Project",
        reason: "no",
      },
    ],
    ["in the agent's build", { kind: "build", outcome: "failed" }],
    ["in the runtime", { kind: "runtime", reason: "the image cannot be pulled" }],
  ])("%s goes on and comes down", async (_where, fault) => {
    await withSpeech();
    const mend = await emulator.inject(fault);
    const { exitCode } = await run("agent-infra", ...DEPLOY_AGENT);
    expect(exitCode).toBe(1);
    await mend();
    const failed = await emulator.snapshot();
    await succeeds("agent-infra", ...DEPLOY_AGENT);
    expect((await emulator.state()).runtimes).toEqual({ voice_agent: "READY" });
    await failed();
    await succeeds("agent-infra", "destroy", "--yes");
    expect((await emulator.state()).runtimes).toEqual({});
  });

  it("fails for an agent without a speech endpoint, before anything is made", async () => {
    await emptyAccount();
    const { exitCode, stderr } = await run("agent-infra", ...DEPLOY_AGENT);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/speech-infra deploy kokoro-82m/)]);
    expect((await emulator.state()).calls.filter((call) => /:(Create|Execute|Put)/.test(call))).toEqual([]);
  });

  it.each<[string, EmulatorFault, number, RegExp]>([
    [
      "expired",
      { kind: "call", action: "*", error: "ExpiredToken", message: "expired" },
      2,
      /expired; .*aws sso login/,
    ],
    [
      "refused",
      { kind: "call", action: "cloudformation:CreateChangeSet", error: "AccessDenied" },
      1,
      /CreateChangeSet|AccessDenied/,
    ],
  ])("fails with %s credentials in one sentence", async (_what, fault, code, words) => {
    await emptyAccount();
    await emulator.inject(fault);
    const { exitCode, stderr } = await run("speech-infra", ...DESTROY.slice(0, 2), "--yes");
    if (fault.kind === "call" && fault.action === "*")
      expect([exitCode, stderr]).toEqual([code, expect.stringMatching(words)]);
    const deployed = await run("speech-infra", ...DEPLOY);
    expect([deployed.exitCode, deployed.stderr]).toEqual([code, expect.stringMatching(words)]);
  });
});
