import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { agentNames, speechNames } from "../../../lib/config/deployment-names.ts";
import type { Finding } from "../../../lib/deploy/preflight/finding.ts";
import {
  type AgentPreflightPlan,
  preflightAgent,
  preflightSpeech,
  type SpeechPreflightPlan,
} from "../../../lib/deploy/preflight/preflight.ts";
import { SpeechError } from "../../../lib/errors.ts";
import { EMULATED_ACCOUNT } from "../../helpers/aws-emulator/aws-emulator.ts";
import { CLIENT, python, useEmulator } from "./emulator-session.ts";

const SPEECH: SpeechPreflightPlan = {
  names: speechNames("kokoro-82m", "main"),
  app: () => {},
  instanceType: "ml.g5.xlarge",
  minInstances: 1,
  maxInstances: 2,
  build: "remote",
};
const AGENT: AgentPreflightPlan = {
  names: agentNames("main"),
  app: () => {},
  bedrockModelId: "amazon.nova-lite-v1:0",
  speechEndpointName: SPEECH.names.endpoint,
  build: "remote",
};

describe.skipIf(python === undefined)("preflight", () => {
  const session = useEmulator();
  const signal = new AbortController().signal;
  const place = () => ({ region: CLIENT.region, endpointUrl: session.emulator.url });
  const speech = (changes: Partial<SpeechPreflightPlan> = {}) =>
    preflightSpeech({ ...SPEECH, ...changes }, place(), signal);
  const agent = (changes: Partial<AgentPreflightPlan> = {}) =>
    preflightAgent({ ...AGENT, ...changes }, place(), signal);
  const find = ({ findings }: { findings: readonly Finding[] }, check: string) =>
    findings.find((finding) => finding.check === check);

  beforeEach(async () => {
    const version = { Name: "/cdk-bootstrap/hnb659fds/version", Value: "30", Type: "String" } as const;
    await new SSMClient(CLIENT).send(new PutParameterCommand(version));
  });

  it("of speech is ok in an account that is set up", async () => {
    const { findings, identity } = await speech();
    expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
      "credentials ok",
      "bootstrap ok",
      "names ok",
      "choices ok",
      "quota ok",
      "image ok",
    ]);
    expect(identity?.account).toBe(EMULATED_ACCOUNT);
  });

  it("finds all that is wrong at once", async () => {
    await session.emulator.inject({ kind: "quota", quota: "ml.g5.xlarge for endpoint usage", value: 0 });
    const result = await speech({
      qualifier: "other",
      app: () => {
        throw new SpeechError("CONFIGURATION", "kmsKeyArn must be an ARN of KMS");
      },
    });
    expect(result.findings.filter(({ state }) => state === "failed").map(({ check }) => check)).toEqual([
      "bootstrap",
      "choices",
      "quota",
    ]);
    expect(find(result, "bootstrap")).toMatchObject({
      next: `npx aws-cdk bootstrap aws://${EMULATED_ACCOUNT}/${CLIENT.region} --qualifier other`,
    });
    expect(find(result, "quota")).toMatchObject({
      message: "the account may run 0 of ml.g5.xlarge for endpoints in us-east-1, 1 needed",
      next: expect.stringMatching(/--quota-code L-[0-9A-F]{8} --desired-value 2 --region us-east-1$/),
    });
  });

  it("tells a missing permission as a warning that names it", async () => {
    await session.emulator.inject({ kind: "call", action: "servicequotas:*" });
    expect(find(await speech(), "quota")).toMatchObject({
      state: "warning",
      message: expect.stringContaining("may not do servicequotas:List"),
    });
  });

  it("fails for expired credentials and leaves out what needs them", async () => {
    await session.emulator.inject({ kind: "call", action: "sts:*", error: "ExpiredToken" });
    const result = await speech();
    expect(find(result, "credentials")).toMatchObject({
      state: "failed",
      message: "the AWS credentials have expired",
      next: expect.stringContaining("aws sso login"),
    });
    expect(find(result, "aws")).toMatchObject({
      state: "warning",
      message: "not checked, for want of credentials: bootstrap, names, quota, image",
    });
    expect(result.identity).toBeUndefined();
  });

  it("fails for credentials of another account", async () => {
    expect(find(await speech({ expectedAccount: "999988887777" }), "account")).toMatchObject({
      state: "failed",
      message: expect.stringContaining("999988887777"),
    });
  });

  it("of an agent fails without a speech endpoint and names the command that makes it", async () => {
    expect(find(await agent(), "speech-endpoint")).toMatchObject({
      state: "failed",
      next: "speech-infra deploy kokoro-82m",
    });
    const next = async (speechEndpointName: string) =>
      find(await agent({ names: agentNames("dev"), speechEndpointName }), "speech-endpoint")?.next;
    expect(await next("dev-speech-kokoro-82m-cpu")).toBe("speech-infra deploy kokoro-82m-cpu --stage dev");
    expect(await next("speech-kokoro-82m")).toBe("speech-infra deploy kokoro-82m");
    expect(await next("mine")).toBe(
      "choose another --speech-endpoint; speech-infra list shows what there is",
    );
  });

  it("of an agent finds AgentCore and a language model that may be used", async () => {
    const result = await agent();
    expect(find(result, "agentcore")).toMatchObject({ state: "ok" });
    expect(find(result, "language-model")).toMatchObject({ state: "ok", message: "amazon.nova-lite-v1:0" });
    const profile = await agent({ bedrockModelId: "global.anthropic.claude-haiku-4-5-20251001-v1:0" });
    expect(find(profile, "language-model")).toMatchObject({ state: "ok" });
  });

  it("fails for a model that only an inference profile gives, and names the profiles", async () => {
    const result = await agent({ bedrockModelId: "anthropic.claude-haiku-4-5-20251001-v1:0" });
    expect(find(result, "language-model")).toMatchObject({
      state: "failed",
      next: expect.stringContaining("us.anthropic.claude-haiku-4-5-20251001-v1:0"),
    });
  });

  it.each([
    ["not-authorized", "has no access"],
    ["no-agreement", "agreement"],
    ["not-in-region", "not available in us-east-1"],
  ] as const)("fails for a model that is %s", async (status, words) => {
    await session.emulator.inject({ kind: "model", status });
    expect(find(await agent(), "language-model")).toMatchObject({
      state: "failed",
      message: expect.stringContaining(words),
    });
  });

  it("fails for a model that Bedrock does not know", async () => {
    expect(find(await agent({ bedrockModelId: "acme.talker-v1:0" }), "language-model")).toMatchObject({
      state: "failed",
      message: "Bedrock has no model or inference profile acme.talker-v1:0 in us-east-1",
    });
  });

  it("with Docker wished for, fails where no engine answers", async () => {
    const { PATH } = process.env;
    vi.stubEnv("PATH", "/nonexistent");
    try {
      expect(find(await speech({ build: "docker" }), "image")).toMatchObject({
        state: "failed",
        next: "start Docker, or give --build remote",
      });
      expect(find(await speech({ build: "auto" }), "image")).toMatchObject({
        state: "ok",
        message: "no Docker engine answers here: CodeBuild builds",
      });
    } finally {
      vi.stubEnv("PATH", PATH);
    }
  });
});
