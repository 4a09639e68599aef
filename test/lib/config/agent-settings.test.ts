import { describe, expect, it } from "vitest";
import { readAgentSettings } from "../../../lib/config/agent-settings.ts";

const REGION = { AWS_REGION: "us-east-1" };

describe("readAgentSettings", () => {
  it("needs nothing but a region", () => {
    expect(readAgentSettings(REGION)).toMatchObject({
      port: 8080,
      host: "127.0.0.1",
      region: "us-east-1",
      speechEndpointName: "speech-kokoro-82m",
      speechEndpointUrl: undefined,
    });
    expect(readAgentSettings({ AWS_DEFAULT_REGION: "eu-west-1" }).region).toBe("eu-west-1");
  });

  it("takes what is set", () => {
    const env = {
      ...REGION,
      PORT: "0",
      HOST: "0.0.0.0",
      SPEECH_ENDPOINT_NAME: "mine",
      SPEECH_ENDPOINT_URL: "http://127.0.0.1:9001/",
      BEDROCK_MODEL_ID: "acme.talker",
      AGENT_SYSTEM_PROMPT: "Be brief.",
      AGENT_SESSIONS_MAX: "3",
      AGENT_FIRST_PIECE_CHARS: "40",
      AGENT_STALL_MS: "900",
    };
    expect(readAgentSettings(env)).toEqual({
      port: 0,
      host: "0.0.0.0",
      region: "us-east-1",
      speechEndpointName: "mine",
      speechEndpointUrl: "http://127.0.0.1:9001",
      bedrockModelId: "acme.talker",
      systemPrompt: "Be brief.",
      sessionsMax: 3,
      firstPieceChars: 40,
      stallMs: 900,
    });
  });

  it.each([
    [{}, "AWS_REGION"],
    [{ ...REGION, PORT: "80000" }, "PORT"],
    [{ ...REGION, SPEECH_ENDPOINT_URL: "127.0.0.1:9001" }, "SPEECH_ENDPOINT_URL"],
    [{ ...REGION, SPEECH_ENDPOINT_URL: "ftp://x" }, "SPEECH_ENDPOINT_URL"],
    [{ ...REGION, AGENT_SESSIONS_MAX: "0" }, "AGENT_SESSIONS_MAX"],
    [{ ...REGION, AGENT_STALL_MS: "-1" }, "AGENT_STALL_MS"],
  ])("fails naming the variable: %j", (env, name) => {
    expect(() => readAgentSettings(env)).toThrow(expect.objectContaining({ code: "CONFIGURATION" }));
    expect(() => readAgentSettings(env)).toThrow(name);
  });
});
