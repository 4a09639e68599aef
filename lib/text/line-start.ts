/**
 * Tells from the first characters of a line whether it is a heading, a list item, a table row or a code fence:
 * lines that begin a piece of their own, whatever mark the line before ends with.
 */
import { classOf, EMOJI } from "./characters.ts";

export type LineKind = "plain" | "item" | "heading" | "row" | "fence";

/** No start of a line needs more characters than this to be told. */
export const LINE_START_MAX_CHARS = 8;

/** @param start what is known of the line after its indent. Undefined: more characters are needed. */
export function lineKind(start: string): LineKind | undefined {
  const first = start[0];
  if (first === "|") return "row";
  if (first === "•" || first === "‣" || first === "◦" || first === "▪") return "item";
  if (classOf(start.codePointAt(0)!) & EMOJI) return "item";
  if (first === "#") return told(start, /^#{1,6}$/, /^#{1,6}\s/, "heading");
  if (first === "`") return told(start, /^`{1,2}$/, /^```/, "fence");
  if (first === "~") return told(start, /^~{1,2}$/, /^~~~/, "fence");
  if (first === "-" || first === "+" || first === "*" || first === "–" || first === "—") {
    return told(start, /^.$/, /^.\s/, "item");
  }
  return told(start, /^(\d{1,3}|\d{1,3}[.)]|[a-zA-Z]|[a-zA-Z]\))$/, /^(\d{1,3}[.)]|[a-zA-Z]\))\s/, "item");
}

function told(start: string, unfinished: RegExp, whole: RegExp, kind: LineKind): LineKind | undefined {
  if (whole.test(start)) return kind;
  return unfinished.test(start) ? undefined : "plain";
}

/** Lines that end a piece at their own end, too. */
export function endsWithLine(kind: LineKind): boolean {
  return kind === "heading" || kind === "row" || kind === "fence";
}
