/**
 * `say` from start to end: text and file first, because they can be wrong at once; then the speech server, when it
 * is to run here; then the sentences. The file appears when all of it has been spoken.
 */
import { SpeechSession } from "../../lib/client/speech-session.ts";
import { findVoice } from "../../lib/kokoro/voices.ts";
import { SAMPLE_RATE_HZ } from "../../lib/protocol/limits.ts";
import { languageOfVoice } from "../../lib/text/language.ts";
import { AudioFile } from "../audio-file.ts";
import { readLexiconFile } from "../lexicon-file.ts";
import type { CliContext } from "../run.ts";
import { type SpokenText, speakText } from "./speak-text.ts";
import { openSpeech, type SpeechSourceOptions } from "./speech-source.ts";
import { openText } from "./text-source.ts";

export interface SayOptions extends SpeechSourceOptions {
  readonly file?: string;
  readonly out: string;
  readonly voice: string;
  readonly speed: number;
  readonly lexicon?: string;
  readonly normalize: boolean;
  readonly explain: boolean;
}

export async function runSay(
  text: string | undefined,
  options: SayOptions,
  context: CliContext,
): Promise<void> {
  if (options.explain) {
    // The phonemizer takes its time to load: `--help` and `say` itself do without.
    const { explain } = await import("./explain-run.ts");
    return explain(text, options, context);
  }
  const { output, signal, stdin } = context;
  const { voice, speed, out } = options;
  findVoice(voice);
  const lexicon = await readLexiconFile(options.lexicon);
  const file = await AudioFile.open(out);
  try {
    const fragments = await openText({ text, file: options.file }, stdin, signal);
    await using speech = await openSpeech(options, context);
    output.status("Speaking ...");
    const spoken = await speakText({
      fragments,
      wording: { language: languageOfVoice(voice), normalize: options.normalize, lexicon },
      session: new SpeechSession(speech.connect(), {
        utterance: { voice, speed, normalize: false },
        signal: speech.signal,
      }),
      onAudio: (pcm) => file.write(pcm, SAMPLE_RATE_HZ),
      onSentence: ({ sentences, audioSeconds }) =>
        output.status(
          `Speaking: ${sentences} ${sentences === 1 ? "sentence" : "sentences"}, ${audioSeconds.toFixed(1)} s so far ...`,
        ),
    }).catch(async (error: unknown) => {
      throw await speech.explain(error);
    });
    await file.finish();
    const rtf = spoken.audioSeconds > 0 ? spoken.synthesisSeconds / spoken.audioSeconds : null;
    output.result({
      firstAudioMs: spoken.firstAudioMs,
      rtf,
      audioSeconds: spoken.audioSeconds,
      file: out,
    });
    output.line(describe(spoken, rtf, out));
  } finally {
    await file.discard();
  }
}

/** `hello.wav: 1.85 s of speech, first audio after 412 ms, RTF 0.41` */
function describe({ firstAudioMs, audioSeconds }: SpokenText, rtf: number | null, file: string): string {
  if (firstAudioMs === null || rtf === null) return `${file}: no speech came of this text`;
  return `${file}: ${audioSeconds.toFixed(2)} s of speech, first audio after ${firstAudioMs.toFixed(0)} ms, RTF ${rtf.toFixed(2)}`;
}
