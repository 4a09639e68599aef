import { CloudWatchClient, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import { describe, expect, it } from "vitest";
import { EMULATED_REGION } from "../../helpers/aws-emulator/aws-emulator.ts";
import { AGENT, OTHER_TAG, SPEECH, useDeployedAccount } from "./deployed-account.ts";
import { CLIENT, python } from "./emulator-session.ts";

describe.skipIf(python === undefined)("status", () => {
  const session = useDeployedAccount(async (account) => {
    await account.deployFoundations();
    await account.deployEndpoint();
    await account.deployRuntime();
  });

  it("of healthy speech exits with 0 and tells what runs", async () => {
    const { exitCode, stdout, stderr } = await session.account.run("speech-infra", "status", "--json");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      health: "healthy",
      stage: "main",
      modelId: "kokoro-82m",
      region: EMULATED_REGION,
      stacks: Object.values(SPEECH.stacks).map((name) => ({ name, status: "CREATE_COMPLETE" })),
      endpoint: {
        name: SPEECH.endpoint,
        status: "InService",
        variant: "main",
        instanceType: "ml.g5.xlarge",
        desiredInstances: 1,
        currentInstances: 1,
        imageUri: expect.stringMatching(/:cuda-[0-9a-f]{16}$/),
        imageDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        configHash: expect.stringMatching(/^[0-9a-f]{10}$/),
        modelPrefix: "model/",
        failureReason: null,
      },
      scaling: { minInstances: 1, maxInstances: 2 },
      alarms: [],
      drift: [],
      lastError: null,
    });
  });

  it("in words names the same", async () => {
    const { exitCode, stdout } = await session.account.run("speech-infra", "status");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("kokoro-82m (stage main, us-east-1): healthy");
    expect(stdout).toMatch(/instances\s+1 of 1 ml\.g5\.xlarge \(variant main\)/);
  });

  it("of another stage exits with 5 and names the command that deploys it", async () => {
    const { exitCode, stdout } = await session.account.run("speech-infra", "status", "--stage", "dev");
    expect(exitCode).toBe(5);
    expect(stdout).toContain("not deployed; speech-infra deploy kokoro-82m --stage dev deploys it");
    const agent = await session.account.run("agent-infra", "status", "--stage", "dev", "--json");
    expect(agent.exitCode).toBe(5);
    expect(JSON.parse(agent.stdout)).toMatchObject({ health: "not-deployed", runtime: null });
  });

  it("exits with 3 while the endpoint is updated", async () => {
    const { account } = session;
    await account.emulator.delay({ endpoint_update: 2 });
    const update = account.deployEndpoint(OTHER_TAG);
    await expect
      .poll(async () => (await account.emulator.state()).endpoints[SPEECH.endpoint], { timeout: 10_000 })
      .toBe("Updating");
    const { exitCode, stdout } = await account.run("speech-infra", "status", "--json");
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ health: "in-progress", endpoint: { status: "Updating" } });
    await update;
  });

  it("exits with 4 while an alarm rings, and names it", async () => {
    const AlarmName = `${SPEECH.endpoint}-5xx`;
    await new CloudWatchClient(CLIENT).send(
      new SetAlarmStateCommand({ AlarmName, StateValue: "ALARM", StateReason: "7 errors in a minute" }),
    );
    const { exitCode, stdout } = await session.account.run("speech-infra", "status");
    expect(exitCode).toBe(4);
    expect(stdout).toContain(`ALARM ${AlarmName}: 7 errors in a minute`);
  });

  it("after a failed update tells which resource failed, and that the old one serves", async () => {
    const { account } = session;
    await account.emulator.inject({ kind: "endpoint", during: "update", reason: "no ping", times: 1 });
    await expect(account.deployEndpoint(OTHER_TAG)).rejects.toThrow("no ping");
    const { exitCode, stdout } = await account.run("speech-infra", "status", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ lastError: expect.stringContaining("no ping") });
  });

  it("exits with 4 for an endpoint that failed", async () => {
    const { account } = session;
    const fault = {
      kind: "endpoint",
      during: "update",
      left: "Failed",
      reason: "no ping",
      times: 1,
    } as const;
    await account.emulator.inject(fault);
    await expect(account.deployEndpoint(OTHER_TAG)).rejects.toThrow("no ping");
    const { exitCode, stdout } = await account.run("speech-infra", "status", "--json");
    expect(exitCode).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ health: "unhealthy", endpoint: { status: "Failed" } });
  });

  it("tells drift where another source runs than the one here", async () => {
    const { account } = session;
    await account.deployEndpoint(OTHER_TAG);
    const { exitCode, stdout } = await account.run("speech-infra", "status", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).drift).toEqual([
      { what: "image", deployed: OTHER_TAG, local: expect.stringMatching(/^cuda-/) },
    ]);
  });

  it("of a healthy agent exits with 0 and tells what it speaks and thinks with", async () => {
    const { exitCode, stdout } = await session.account.run("agent-infra", "status", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      health: "healthy",
      stacks: Object.values(AGENT.stacks).map((name) => ({ name, status: "CREATE_COMPLETE" })),
      runtime: {
        name: AGENT.runtime,
        status: "READY",
        imageUri: expect.stringContaining(`/${AGENT.repository}:arm64-`),
        endpoint: { name: "live", status: "READY" },
      },
      speechEndpoint: SPEECH.endpoint,
      bedrockModelId: "us.amazon.nova-lite-v1:0",
      drift: [],
    });
    const words = await session.account.run("agent-infra", "status");
    expect(words.stdout).toMatch(/speech endpoint\s+speech-kokoro-82m/);
  });

  it("fails without a permission, with 2, and names it", async () => {
    await session.account.emulator.inject({ kind: "call", action: "sagemaker:DescribeEndpoint" });
    const { exitCode, stderr } = await session.account.run("speech-infra", "status");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("may not do sagemaker:DescribeEndpoint in us-east-1");
  });

  it("list shows every stage's deployments beside the catalog", async () => {
    const { exitCode, stdout } = await session.account.run("speech-infra", "list", "--json");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      catalog: [{ id: "kokoro-82m" }, { id: "kokoro-82m-cpu" }],
      deployments: [{ modelId: "kokoro-82m", stage: "main", endpoint: SPEECH.endpoint, status: "InService" }],
    });
  });
});
