/** The voices as a table: one row a voice, grouped by language because that is what one looks for first. */
import type { Voice } from "../../lib/kokoro/voices.ts";
import { VOICE_DEFAULT } from "../../lib/protocol/limits.ts";
import { textTable } from "../text-table.ts";

const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language" });

export function voiceTable(voices: readonly Voice[]): string[] {
  const rows = voices.map((voice) => [
    voice.name + (voice.name === VOICE_DEFAULT ? " *" : ""),
    `${LANGUAGE_NAMES.of(voice.language) ?? voice.language} (${voice.language})`,
    voice.gender,
  ]);
  return [
    ...textTable([["voice", "language", "gender"], ...rows]),
    "",
    `${voices.length} voices; * is the default. Try one: speech-infra say "Hello." --voice ${voices[0]!.name} --out hello.wav`,
  ];
}
