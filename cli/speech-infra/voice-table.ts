/** The voices as a table: one row a voice, grouped by language because that is what one looks for first. */
import type { Voice } from "../../lib/kokoro/voices.ts";
import { VOICE_DEFAULT } from "../../lib/protocol/limits.ts";

const LANGUAGE_NAMES = new Intl.DisplayNames(["en"], { type: "language" });

export function voiceTable(voices: readonly Voice[]): string[] {
  const rows = voices.map((voice) => [
    voice.name + (voice.name === VOICE_DEFAULT ? " *" : ""),
    `${LANGUAGE_NAMES.of(voice.language) ?? voice.language} (${voice.language})`,
    voice.gender,
  ]);
  const table = [["voice", "language", "gender"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column]!.length)));
  return [
    ...table.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    ),
    "",
    `${voices.length} voices; * is the default. Try one: speech-infra say "Hello." --voice ${voices[0]!.name} --out hello.wav`,
  ];
}
