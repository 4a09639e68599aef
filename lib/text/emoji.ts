/** Emoji named or dropped. Names are Unicode's, in English; in another language they are dropped. */
import EMOJI_NAMES from "unicode-emoji-json/data-by-emoji.json" with { type: "json" };
import type { TrackedText } from "./tracked-text.ts";

const NAMES: Readonly<Record<string, { readonly name: string } | undefined>> = EMOJI_NAMES;

// Pictographs with what belongs to them: skin tones, selectors, joiners, flag tags. A joiner elsewhere is part of a
// word (Hindi, Persian) and stays. Of a keycap the digit stays. Signs of trade and right are text, not pictures.
const EMOJI =
  /(?:(?:(?![©®™])\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier})(?:\u{200d}|\u{fe0f}|\u{20e3}|[\u{e0020}-\u{e007f}])*)+|\u{fe0f}|\u{20e3}/gu;
const ONE_EMOJI =
  /\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\u{fe0f}|\p{Emoji_Modifier})*(?:\u{200d}\p{Extended_Pictographic}(?:\u{fe0f}|\p{Emoji_Modifier})*)*/gu;

export function dropEmoji(text: TrackedText): void {
  text.replace(EMOJI, " ");
}

/** "🎉" becomes ", party popper,": set apart, so that it does not read into the words around it. */
export function nameEmoji(text: TrackedText): void {
  text.replace(EMOJI, (run) => {
    const names = Array.from(run!.matchAll(ONE_EMOJI), ([emoji]) => nameOf(emoji)).filter(
      (name) => name !== "",
    );
    return names.length === 0 ? " " : ` ${[...new Set(names)].join(", ")} `;
  });
}

function nameOf(emoji: string): string {
  const bare = emoji.replace(/\p{Emoji_Modifier}/gu, "");
  const found = NAMES[bare] ?? NAMES[`${bare}\u{fe0f}`] ?? NAMES[bare.replaceAll("\u{fe0f}", "")];
  return found?.name ?? "";
}
