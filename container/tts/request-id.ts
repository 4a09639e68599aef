/**
 * Every answer carries the caller's `request_id`, or one made here. It is also looked for where the message itself cannot be
 * used: a body with wrong fields, a frame too large to parse.
 */
import { randomUUID } from "node:crypto";
import { REQUEST_ID_MAX_CHARS } from "../../lib/protocol/limits.ts";

export function newRequestId(): string {
  return randomUUID();
}

const KEY = '"request_id"';
/** Longest form of an id in JSON: \u and four digits for each character, and some room for colon, blanks and quotes. */
const LITERAL_MAX_BYTES = 6 * REQUEST_ID_MAX_CHARS + 64;

/**
 * The first member named `request_id`, found without parsing the whole: a quotation mark inside a JSON string is always
 * written with a backslash before it, so these bytes cannot be part of a text to speak.
 */
export function findRequestId(json: Uint8Array): string | undefined {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  const at = bytes.indexOf(KEY);
  if (at === -1) return undefined;
  const after = bytes.toString("utf8", at + KEY.length, at + KEY.length + LITERAL_MAX_BYTES);
  const literal = /^\s*:\s*("(?:[^"\\]|\\.)+")/.exec(after)?.[1];
  if (literal === undefined) return undefined;
  try {
    const id: unknown = JSON.parse(literal);
    return typeof id === "string" && id.length <= REQUEST_ID_MAX_CHARS ? id : undefined;
  } catch {
    return undefined;
  }
}

/** An id as the value of an HTTP header, which takes only visible ASCII: anything else is percent-encoded. */
export function requestIdHeader(id: string): string {
  return /^[\x21-\x7e]+$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}
