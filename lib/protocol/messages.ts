/**
 * Link 2, caller <-> container, message by message (docs/protocol.md). JSON in text or binary frames one way;
 * JSON text frames and PCM16 binary frames the other. This file knows no socket: bytes in, typed messages out.
 *
 * The one rule that is easy to get wrong: a received part is control only if the WHOLE part parses as a JSON
 * object. Everything else is audio, also when its first byte happens to be 0x7b `{`.
 */
import { z } from "zod";
import { type ErrorCode, isErrorCode, SpeechError } from "../errors.ts";
import { LEXICON_ENTRY_MAX_CHARS, LEXICON_MAX_ENTRIES } from "../text/lexicon.ts";
import { PROMPT_MAX_CHARS, REQUEST_ID_MAX_CHARS, SAMPLE_RATES_HZ, SPEED_MAX, SPEED_MIN } from "./limits.ts";

const requestId = z.string().min(1).max(REQUEST_ID_MAX_CHARS);

const lexiconEntry = z.string().max(LEXICON_ENTRY_MAX_CHARS);

/** How text becomes words, on every link. */
export const wordingFields = {
  /** false: the words are said as they are written (lib/text/speakable.ts). */
  normalize: z.boolean().optional(),
  /** What is written -> what is said (lib/text/lexicon.ts). */
  lexicon: z
    .record(lexiconEntry.regex(/\S/), lexiconEntry)
    .refine((lexicon) => Object.keys(lexicon).length <= LEXICON_MAX_ENTRIES)
    .optional(),
};

/** Fields that a synthesis request has on every route. Unknown fields are ignored: an extension's right. */
export const synthesisFields = {
  text: z.string().regex(/\S/),
  voice: z.string().min(1).optional(),
  speed: z.number().min(SPEED_MIN).max(SPEED_MAX).optional(),
  request_id: requestId.optional(),
  /** Seconds since 1970 (a float, as Python's time.time() gives) or milliseconds (> 1e11). */
  request_timestamp: z.number().positive().optional(),
  sample_rate: z.literal(SAMPLE_RATES_HZ).optional(),
  ...wordingFields,
};

const speakSchema = z.object({ type: z.literal("speak").optional(), ...synthesisFields });
const closeSchema = z.object({ type: z.literal("close") });
const cancelSchema = z.object({ type: z.literal("cancel"), request_id: requestId.optional() });

export type SpeakMessage = z.infer<typeof speakSchema>;
export type CloseMessage = z.infer<typeof closeSchema>;
export type CancelMessage = z.infer<typeof cancelSchema>;
/** What a caller sends. `SpeakMessage.type` is absent on the wire of old clients. */
export type CallerMessage = SpeakMessage | CloseMessage | CancelMessage;

/** What a container sends as JSON. Audio is not here: it is a binary frame. */
export type ContainerMessage =
  | { type: "synthesis_start"; request_id: string }
  | { type: "synthesis_complete"; request_id: string; total_duration_s: number; elapsed_s: number }
  | { type: "synthesis_cancelled"; request_id: string }
  | { type: "error"; request_id: string; message: string; code?: ErrorCode; retryable?: boolean };

// A container may echo null, or nothing, where its caller gave no id.
const echoedId = z
  .string()
  .nullish()
  .transform((id) => id ?? "");

const containerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("synthesis_start"), request_id: echoedId }),
  z.object({
    type: z.literal("synthesis_complete"),
    request_id: echoedId,
    total_duration_s: z.number(),
    elapsed_s: z.number(),
  }),
  z.object({ type: z.literal("synthesis_cancelled"), request_id: echoedId }),
  z.object({
    type: z.literal("error"),
    request_id: echoedId,
    message: z.string().catch(""),
    // A code of a newer peer that we do not know is dropped, not an error.
    code: z.custom<ErrorCode>(isErrorCode).optional().catch(undefined),
    retryable: z.boolean().optional().catch(undefined),
  }),
]);

const CONTAINER_TYPES: ReadonlySet<unknown> = new Set(
  containerSchema.options.map((option) => option.shape.type.value),
);

/** A message refused, with the request id it carried when that much could be read. */
export class RefusedMessage {
  readonly error: SpeechError;
  readonly requestId: string | undefined;
  constructor(error: SpeechError, requestId: string | undefined) {
    this.error = error;
    this.requestId = requestId;
  }
}

/**
 * Reads one frame of a caller, of either kind (SageMaker makes a binary frame of a part without DataType).
 * Never throws: what is wrong comes back as a RefusedMessage, so that a session lives on.
 */
export function readCallerMessage(frame: Uint8Array | string): CallerMessage | RefusedMessage {
  const value = parseJson(frame);
  if (value === undefined) {
    return new RefusedMessage(
      new SpeechError("INVALID_REQUEST", 'the message is not valid JSON; send {"text": "..."}'),
      undefined,
    );
  }
  if (!isJsonObject(value)) {
    return new RefusedMessage(
      new SpeechError("INVALID_REQUEST", `the message must be a JSON object, got ${jsonKind(value)}`),
      undefined,
    );
  }
  const id = requestId.safeParse(value.request_id).data;
  const type = value.type;
  if (type !== undefined && type !== "speak" && type !== "close" && type !== "cancel") {
    return new RefusedMessage(
      new SpeechError(
        "INVALID_REQUEST",
        'type must be "speak", "close", "cancel" or absent, got an unknown type',
      ),
      id,
    );
  }
  const schema = type === "close" ? closeSchema : type === "cancel" ? cancelSchema : speakSchema;
  const result = schema.safeParse(value);
  return result.success ? result.data : new RefusedMessage(invalidFields(value, result.error), id);
}

export function isSpeakMessage(message: CallerMessage): message is SpeakMessage {
  return message.type === undefined || message.type === "speak";
}

/** One part of what a container sent. */
export type ContainerPart =
  | { kind: "message"; message: ContainerMessage }
  | { kind: "model-stream-error"; errorCode: string; message: string }
  | { kind: "unknown"; type: string }
  | { kind: "audio"; bytes: Uint8Array };

/**
 * Tells control from audio by the whole-part rule.
 * @param bytes one complete part; audio keeps this very buffer, nothing is copied.
 * @throws {SpeechError} PROTOCOL_VIOLATION when a message of a known type lacks a field.
 */
export function readContainerPart(bytes: Uint8Array | string): ContainerPart {
  // Parsing is tried only where it can succeed: PCM would otherwise be decoded as text at every frame.
  const value = typeof bytes === "string" || looksLikeObject(bytes) ? parseJson(bytes) : undefined;
  if (!isJsonObject(value)) {
    return { kind: "audio", bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes };
  }
  const streamError = value.ModelStreamError;
  if (isJsonObject(streamError)) {
    return {
      kind: "model-stream-error",
      errorCode: String(streamError.ErrorCode ?? ""),
      message: String(streamError.Message ?? ""),
    };
  }
  const result = containerSchema.safeParse(value);
  if (result.success) return { kind: "message", message: result.data };
  if (CONTAINER_TYPES.has(value.type)) {
    throw new SpeechError("PROTOCOL_VIOLATION", `the container's ${value.type} message lacks a field`, {
      cause: result.error,
    });
  }
  // An object of a type we do not know is an extension: ignored by its reader, never played as audio.
  return { kind: "unknown", type: String(value.type ?? "") };
}

export function encodeMessage(message: CallerMessage | ContainerMessage): string {
  return JSON.stringify(message);
}

/** "speed must be 0.5-2, got 3" in the caller's own field names; every wrong field is named. */
export function invalidFields(value: Record<string, unknown>, error: z.ZodError): SpeechError {
  const fields = [...new Set(error.issues.map((issue) => String(issue.path[0] ?? "body")))];
  const message = fields
    .map((field) => `${FIELD_RULES[field] ?? `${field} is not valid`}, got ${shown(field, value)}`)
    .join("; ");
  return new SpeechError("INVALID_REQUEST", message, { details: { fields } });
}

const FIELD_RULES: Record<string, string> = {
  text: "text must be a string that is not empty",
  voice: "voice must be the name of a voice",
  speed: `speed must be a number from ${SPEED_MIN} to ${SPEED_MAX}`,
  request_id: `request_id must be a string of 1 to ${REQUEST_ID_MAX_CHARS} characters`,
  request_timestamp: "request_timestamp must be the time of sending in seconds since 1970",
  sample_rate: `sample_rate must be one of ${SAMPLE_RATES_HZ.join(", ")}`,
  normalize: "normalize must be true or false",
  lexicon: `lexicon must be an object of at most ${LEXICON_MAX_ENTRIES} words and what is said for them, each of at most ${LEXICON_ENTRY_MAX_CHARS} characters`,
  stream: "stream must be true or false",
  transport: 'transport must be "binary" or "sse"',
  format: 'format must be "wav", "mp3" or "pcm"',
  prompt: `prompt must be a string of 1 to ${PROMPT_MAX_CHARS} characters`,
  mode: 'mode must be "bidi", "batch" or "batch-stream"',
  endpoint: "endpoint must be the name of a SageMaker endpoint",
};

/** A wrong value is shown only when it cannot be text to speak: numbers, booleans, names and kinds. */
function shown(field: string, value: Record<string, unknown>): string {
  const got = value[field];
  if (got === undefined) return "nothing";
  if (SPOKEN_FIELDS.has(field) && typeof got !== "string") return jsonKind(got);
  if (typeof got === "number" || typeof got === "boolean") return String(got);
  if (typeof got !== "string") return jsonKind(got);
  if (got.trim() === "") return "an empty string";
  return NAME_FIELDS.has(field) ? JSON.stringify(got.slice(0, 64)) : `a string of ${got.length} characters`;
}
const SPOKEN_FIELDS: ReadonlySet<string> = new Set(["text", "prompt"]);
const NAME_FIELDS: ReadonlySet<string> = new Set(["transport", "format", "mode", "endpoint"]);

function parseJson(frame: Uint8Array | string): unknown {
  try {
    return JSON.parse(typeof frame === "string" ? frame : UTF8.decode(frame));
  } catch {
    return undefined;
  }
}
// `fatal`: PCM that begins with `{` must fail here, not become replacement characters.
const UTF8 = new TextDecoder("utf-8", { fatal: true });

const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
function looksLikeObject(bytes: Uint8Array): boolean {
  let first = 0;
  let last = bytes.length - 1;
  while (first <= last && WHITESPACE.has(bytes[first]!)) first++;
  while (last >= first && WHITESPACE.has(bytes[last]!)) last--;
  return bytes[first] === 0x7b && bytes[last] === 0x7d;
}

function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function jsonKind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  const kind = typeof value;
  return kind === "object" ? "an object" : `a ${kind}`;
}
