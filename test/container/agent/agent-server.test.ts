import { describe, expect, it } from "vitest";
import { AgentServer, serverLogStream } from "../../../container/agent/agent-server.ts";
import { createAgentApp } from "../../../container/agent/app.ts";
import { createLog } from "../../../container/agent/log.ts";
import { TurnRunner } from "../../../container/agent/turn-runner.ts";
import { VoiceAgents } from "../../../container/agent/voice-agents.ts";
import type { SpeechError } from "../../../lib/errors.ts";
import { FakeModel } from "./fake-model.ts";
import { FakeSpeech } from "./fake-speech.ts";

describe("AgentServer", () => {
  it("finds the Fastify instance that the app keeps private", () => {
    const agents = new VoiceAgents({ model: new FakeModel({}), systemPrompt: "", sessionsMax: 1 });
    const log = createLog(() => {});
    const runner = new TurnRunner({
      agents,
      speech: new FakeSpeech(),
      toModelFailure: (error) => error,
      log,
    });
    const app = createAgentApp({ runner, endpointName: "speech", serverLog: { write: () => {} } });
    expect(() => new AgentServer(app)).not.toThrow();
    const { server } = (app as unknown as { _app: { server: { requestTimeout: number } } })._app;
    expect(server.requestTimeout).toBe(30_000);
  });
});

describe("serverLogStream", () => {
  const read = (line: object) => {
    const lines: Record<string, unknown>[] = [];
    const failures: SpeechError[] = [];
    const log = createLog((text) => lines.push(JSON.parse(text)));
    serverLogStream(log, (error) => failures.push(error)).write(JSON.stringify(line));
    return { lines, failures };
  };

  it("keeps codes and drops words, addresses and stack traces", () => {
    const { lines } = read({
      level: 50,
      msg: "secret words",
      err: {
        type: "FastifyError",
        code: "FST_ERR_CTP_BODY_TOO_LARGE",
        message: "secret words",
        stack: "at x",
      },
      req: { url: "/invocations?secret=1" },
    });
    expect(lines).toEqual([
      {
        level: "error",
        time: expect.any(String),
        event: "server",
        error: { name: "FastifyError", code: "FST_ERR_CTP_BODY_TOO_LARGE" },
      },
    ]);
  });

  it.each([
    ["EADDRINUSE", "127.0.0.1:8080 is in use"],
    ["EACCES", "above 1023"],
    ["EADDRNOTAVAIL", "HOST"],
    ["EOTHER", "EOTHER"],
  ])("makes a sentence of %s", (code, words) => {
    const { failures } = read({
      level: 50,
      err: { syscall: "listen", code, address: "127.0.0.1", port: 8080 },
    });
    expect(failures[0]).toMatchObject({ code: "CONFIGURATION", message: expect.stringContaining(words) });
  });
});
