/** What the agent costs: memory over many turns, and time on the way of the audio. Bounds are generous; it prints. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { callAgent } from "../../lib/client/agent-client.ts";
import { AGENT_MODES } from "../../lib/protocol/agent-events.ts";
import { startAgentSystem } from "./agent-system.ts";

const TURNS = 50;
/** The product's bound is 250 MB; a machine with much memory lets V8's young generation grow further. */
const RSS_MAX_MB = 300;
/** The product's bound is 15 ms on an idle machine; tests share theirs. */
const ADDED_MAX_MS = 60;

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

describe.skipIf(process.platform !== "linux")("the agent's footprint", () => {
  it(`stays small over ${TURNS} turns, and adds little to the container's first audio`, async () => {
    const system = await startAgentSystem({
      bedrock: { firstTokenMs: 5, tokensPerSecond: 1_000 },
      tts: { msPerAudioSecond: 10 },
    });
    try {
      const rssMb = () => {
        const status = readFileSync(`/proc/${system.agent.pid}/status`, "utf8");
        return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
      };
      const beforeMb = rssMb();
      for (let turn = 0; turn < TURNS; turn++) {
        const mode = AGENT_MODES[turn % AGENT_MODES.length]!;
        const target = { kind: "url", url: system.agentUrl } as const;
        for await (const { event } of callAgent(target, { prompt: `Question ${turn}`, mode })) {
          expect(event.type).not.toBe("error");
        }
      }
      const afterMb = rssMb();
      const firstOf = (requestId: unknown) =>
        system.ttsLog.find((line) => line.request_id === `${requestId}.1`)?.first_audio_ms as number;
      const addedMs = system.agentLog
        .filter((line) => line.event === "turn" && line.mode === "bidi")
        .map(
          (line) => Number(line.first_audio_ms) - Number(line.first_sentence_ms) - firstOf(line.request_id),
        );
      const added = median(addedMs);
      process.stdout.write(
        `agent: ${beforeMb} MB before, ${afterMb} MB after ${TURNS} turns; client and bridge add ${added.toFixed(1)} ms (median) to the container's first audio\n`,
      );
      expect(afterMb).toBeLessThan(RSS_MAX_MB);
      expect(added).toBeLessThan(ADDED_MAX_MS);
    } finally {
      await system.stop();
    }
  });
});
