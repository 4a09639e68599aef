/** Logs and invocations of what is deployed, by the commands. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CloudWatchLogsClient,
  CreateLogStreamCommand,
  PutLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WAV_HEADER_BYTES } from "../../../lib/audio/wav.ts";
import { AGENT, SPEECH, useDeployedAccount } from "./deployed-account.ts";
import { CLIENT, python } from "./emulator-session.ts";

describe.skipIf(python === undefined)("a deployment's", () => {
  const session = useDeployedAccount(async (account) => {
    await account.deployFoundations();
    await account.deployRuntime();
  });
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "invoke-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function write(logGroupName: string, message: string): Promise<void> {
    const client = new CloudWatchLogsClient(CLIENT);
    const logStreamName = `stream-${message.replaceAll(/\W/g, "-")}`;
    await client.send(new CreateLogStreamCommand({ logGroupName, logStreamName }));
    const logEvents = [{ timestamp: Date.now(), message }];
    await client.send(new PutLogEventsCommand({ logGroupName, logStreamName, logEvents }));
  }

  it("container log is printed, newest last, and ends", async () => {
    await write(SPEECH.logGroup, "first line");
    await write(SPEECH.logGroup, "second line");
    const { exitCode, stdout } = await session.account.run("speech-infra", "logs");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^\S+Z first line\n\S+Z second line\n$/);
    const json = await session.account.run("speech-infra", "logs", "--json");
    expect(JSON.parse(json.stdout).lines).toMatchObject([
      { message: "first line" },
      { message: "second line" },
    ]);
  });

  it("build log is another one", async () => {
    await write(SPEECH.buildLogGroup, "building");
    const { exitCode, stdout } = await session.account.run("speech-infra", "logs", "--build");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("building");
  });

  it("log is followed until Ctrl-C, each line once", async () => {
    await write(SPEECH.logGroup, "before");
    const command = session.account.start("speech-infra", "logs", "-f");
    await command.untilPrinted("before");
    await write(SPEECH.logGroup, "after");
    await command.untilPrinted("after");
    command.child.kill("SIGINT");
    const { exitCode, stdout } = await command.ended;
    expect(exitCode).toBe(130);
    expect(stdout.trim().split("\n")).toHaveLength(2);
  });

  it("log fails where nothing is deployed, with 2", async () => {
    const { exitCode, stderr } = await session.account.run("speech-infra", "logs", "kokoro-82m-cpu");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("there is no log /aws/sagemaker/Endpoints/speech-kokoro-82m-cpu");
  });

  it("agent's log is found by the runtime's id", async () => {
    const { exitCode, stdout } = await session.account.run("agent-infra", "logs");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("listening on 8080");
    const dev = await session.account.run("agent-infra", "logs", "--stage", "dev");
    expect(dev.exitCode).toBe(2);
    expect(dev.stderr).toContain("run agent-infra deploy --bedrock-model-id ID --stage dev");
  });

  it("agent is asked by its stage: text on the screen, speech in a file", async () => {
    const out = join(folder, "answer.wav");
    const { exitCode, stdout } = await session.account.run("agent-infra", "invoke", "Hello?", "--out", out);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Hello\. It works\.\n.*answer\.wav: 0\.20 s of speech, first audio after \d+ ms/);
    expect((await readFile(out)).length).toBe(WAV_HEADER_BYTES + 9_600);
    expect((await session.account.emulator.state()).calls).toContain("bedrock-agentcore:InvokeAgentRuntime");
  });

  it("agent is asked by its ARN, and answers as JSON", async () => {
    const { stdout: status } = await session.account.run("agent-infra", "status", "--json");
    const { arn } = (JSON.parse(status) as { runtime: { arn: string } }).runtime;
    const out = join(folder, "json.wav");
    const args = ["--runtime-arn", arn, "--mode", "batch", "--out", out, "--json"];
    const { exitCode, stdout } = await session.account.run("agent-infra", "invoke", "Hello?", ...args);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      mode: "batch",
      text: "Hello. It works.",
      audioSeconds: 0.2,
      file: out,
    });
  });

  it("agent fails where none is deployed, and leaves no file", async () => {
    const out = join(folder, "none.wav");
    const args = ["--stage", "dev", "--out", out];
    const { exitCode, stderr } = await session.account.run("agent-infra", "invoke", "Hello?", ...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`there is no stack dev-${AGENT.stacks.runtime}`);
    await expect(readFile(out)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("model cache is synced by a command, which fails without weights or bucket", async () => {
    const dev = await session.account.run("speech-infra", "sync-model", "--stage", "dev");
    expect(dev.exitCode).toBe(2);
    expect(dev.stderr).toContain("run speech-infra deploy kokoro-82m --stage dev");
    const { exitCode, stderr } = await session.account.run("speech-infra", "sync-model");
    expect(exitCode).toBe(2);
    expect(stderr).toContain("the weights of Kokoro-82M are not on this machine");
  });
});
