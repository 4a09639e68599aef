/**
 * What is said of a finished sentence: markdown and emoji off, words untouched. Runs on whole pieces, so that a
 * mark cut across two fragments never leaks. Idempotent.
 */

/** Whether anything in the text can be heard: a letter or a digit. */
export function hasSpeakableText(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The text as it is to be spoken; "" when nothing of it can be heard. */
export function toSpeakableText(text: string): string {
  const spoken = withoutMarkdown(text)
    .replace(EMOJI, " ")
    .replace(/\s+([,.;:!?…])(?=\s|$)/gu, "$1")
    .replace(/\s+/gu, " ")
    .trim();
  return hasSpeakableText(spoken) ? spoken : "";
}

// Pictographs with what belongs to them: skin tones, selectors, joiners, flag tags. A joiner elsewhere is part of a
// word (Hindi, Persian) and stays. Of a keycap the digit stays.
const EMOJI =
  /(?:(?:\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier})(?:\u{200d}|\u{fe0f}|\u{20e3}|[\u{e0020}-\u{e007f}])*)+|\u{fe0f}|\u{20e3}/gu;

function withoutMarkdown(text: string): string {
  return (
    text
      .replace(/<!--[\s\S]*?-->/g, " ")
      .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, (tag) =>
        /^<(https?:|mailto:)/.test(tag) ? tag.slice(1, -1) : " ",
      )
      // Lines: fences, rules, headings, quotes, bullets. A number stays: it is said.
      .replace(/^[ \t]*(?:```|~~~)[^\n`]*$/gm, " ")
      .replace(/^[ \t]*[|:=*_-][ \t|:=*_-]{2,}$/gm, " ")
      .replace(/^[ \t]*(?:>[ \t]?)+/gm, "")
      .replace(/^[ \t]*#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/gm, "$1")
      .replace(/^[ \t]*[-*+•‣◦▪][ \t]+(?:\[[ xX]\][ \t]+)?/gm, "")
      .replace(/^[ \t]*\|(.*?)\|?[ \t]*$/gm, (_row, cells: string) => cells.replace(/\s*\|\s*/g, ", ").trim())
      // Links and pictures: their label. Citation marks: nothing.
      .replace(/(?<=[^\s\]])\[\^?\d{1,3}\](?:\[\^?\d{1,3}\])*/g, "")
      .replace(/!?\[([^\][]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, "$1")
      .replace(/!?\[([^\][]+)\]\[[^\][]*\]/g, "$1")
      // Code keeps its letters; emphasis goes where it stands at a word's edge, so 3*4 and snake_case stay.
      .replace(/`+/g, "")
      .replace(/~~/g, "")
      .replace(/(^|[^\p{L}\p{N}*])\*{1,3}(?=\S)/gu, "$1")
      .replace(/\*{1,3}(?=$|[^\p{L}\p{N}*])/gu, (stars, at: number, whole: string) =>
        /\s/.test(whole[at - 1] ?? " ") && /\s/.test(whole[at + stars.length] ?? "x") ? stars : "",
      )
      .replace(/(?<=\p{L})\*\*(?=\p{L})/gu, "")
      .replace(/(^|[^\p{L}\p{N}_])_{1,3}(?=[^\s_])/gu, "$1")
      .replace(/(?<=[^\s_])_{1,3}(?=$|[^\p{L}\p{N}_])/gu, "")
  );
}
