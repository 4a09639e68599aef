/** Markdown off, words untouched: marks at the edge of words go, 3*4 and snake_case stay. */
import type { TrackedText } from "./tracked-text.ts";

export function removeMarkdown(text: TrackedText): void {
  text
    .replace(/<!--[\s\S]*?-->/g, " ")
    .replace(/<\/?[a-zA-Z][^<>]{0,200}>/g, (tag) =>
      /^<(https?:|mailto:)/.test(tag!) ? tag!.slice(1, -1) : " ",
    )
    // Lines: fences, rules, headings, quotes, bullets. A number stays: it is said.
    .replace(/^[ \t]*(?:```|~~~)[^\n`]*$/gm, " ")
    .replace(/^[ \t]*[|:=*_-][ \t|:=*_-]{2,}$/gm, " ")
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, "")
    .replace(/^[ \t]*#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$/gm, (_, heading) => heading)
    .replace(/^[ \t]*[-*+•‣◦▪][ \t]+(?:\[[ xX]\][ \t]+)?/gm, "")
    .replace(/^([ \t]*(?:\d{1,3}|[a-zA-Z]))\)(?=[ \t])/gm, (_, item) => `${item}.`)
    .replace(/^[ \t]*\|(.*?)\|?[ \t]*$/gm, (_row, cells) => cells!.replace(/\s*\|\s*/g, ", ").trim())
    // Links and pictures: their label. Citation marks: nothing.
    .replace(/(?<=[^\s\]])\[\^?\d{1,3}\](?:\[\^?\d{1,3}\])*/g, "")
    .replace(/!?\[([^\][]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, (_, label) => label)
    .replace(/!?\[([^\][]+)\]\[[^\][]*\]/g, (_, label) => label)
    // Code keeps its letters; emphasis goes where it stands at a word's edge.
    .replace(/`+/g, "")
    .replace(/~~/g, "")
    .replace(/(^|[^\p{L}\p{N}*])\*{1,3}(?=\S)/gu, (_, before) => before)
    .replace(/(?<=\S)\*{1,3}(?=$|[^\p{L}\p{N}*])/gu, "")
    .replace(/(?<=\s)\*{1,3}(?=$|[^\p{L}\p{N}*\s])/gu, "")
    .replace(/(?<=\p{L})\*\*(?=\p{L})/gu, "")
    .replace(/(^|[^\p{L}\p{N}_])_{1,3}(?=[^\s_])/gu, (_, before) => before)
    .replace(/(?<=[^\s_])_{1,3}(?=$|[^\p{L}\p{N}_])/gu, "");
}
