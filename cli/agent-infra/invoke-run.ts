/** `invoke` from start to end: what can be wrong at once first, then one turn, then the file in its place. */
import { type AskAgent, runTrial } from "../../lib/bench/trial.ts";
import { callAgent } from "../../lib/client/agent-client.ts";
import { findVoice } from "../../lib/kokoro/voices.ts";
import type { AgentMode } from "../../lib/protocol/agent-events.ts";
import { AudioFile } from "../audio-file.ts";
import type { CliContext } from "../run.ts";
import { type DeployedAgentOptions, findAgent } from "./deployed-agent.ts";

export interface InvokeOptions extends DeployedAgentOptions {
  readonly out: string;
  readonly mode: AgentMode;
  readonly voice: string;
  readonly speed: number;
}

export async function runInvoke(prompt: string, options: InvokeOptions, context: CliContext): Promise<void> {
  const { output, signal } = context;
  const { mode, voice, speed, out } = options;
  findVoice(voice);
  const file = await AudioFile.open(out);
  try {
    const target = await findAgent(options, context);
    output.status("Asking the agent ...");
    let text = "";
    const ask: AskAgent = async function* (payload, abort) {
      for await (const arrival of callAgent(target, payload, { signal: abort })) {
        if (arrival.event.type === "text_delta") {
          text += arrival.event.text;
          if (!output.json) output.text(arrival.event.text);
        }
        yield arrival;
      }
    };
    const { metrics } = await runTrial(ask, { prompt, mode, voice, speed }, signal, {
      onAudio: (pcm, sampleRateHz) => file.write(pcm, sampleRateHz),
    }).catch((error: unknown) => {
      if (text !== "") output.line(); // the message is not to stand behind half a sentence
      throw error;
    });
    await file.finish();
    const { firstTextMs, firstAudioMs, endMs, audioSeconds } = metrics;
    output.result({ mode, text, firstTextMs, firstAudioMs, endMs, audioSeconds, file: out });
    output.line();
    output.line(
      firstAudioMs === null
        ? `${out}: no speech came of this answer`
        : `${out}: ${audioSeconds.toFixed(2)} s of speech, first audio after ${firstAudioMs.toFixed(0)} ms, ` +
            `whole after ${endMs.toFixed(0)} ms (since agent_start)`,
    );
  } finally {
    await file.discard();
  }
}
