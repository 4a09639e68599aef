/**
 * Link 3, agent <-> its caller (AgentCore). One prompt in, events out: as SSE on `/invocations` (audio base64),
 * or on `/ws` the same events as text frames and the audio as binary frames. Every mode sends the same kinds,
 * so that only the moment when synthesis starts differs.
 */
import { z } from "zod";
import { type ErrorCode, isErrorCode, SpeechError } from "../errors.ts";
import { PROMPT_MAX_CHARS, SPEED_MAX, SPEED_MIN } from "./limits.ts";
import { invalidFields, wordingFields } from "./messages.ts";

/**
 * `bidi`: each sentence is spoken as soon as it is finished. `batch-stream`: the whole answer, then one streamed
 * synthesis. `batch`: the whole answer, then one synthesis that is not streamed; what a plain integration does.
 */
export const AGENT_MODES = ["bidi", "batch-stream", "batch"] as const;
export type AgentMode = (typeof AGENT_MODES)[number];

const payloadSchema = z.object({
  prompt: z.string().trim().min(1).max(PROMPT_MAX_CHARS),
  mode: z.enum(AGENT_MODES).default("bidi"),
  voice: z.string().min(1).optional(),
  speed: z.number().min(SPEED_MIN).max(SPEED_MAX).optional(),
  /** Name of the SageMaker endpoint; the agent's own setting when absent. */
  endpoint: z
    .string()
    .regex(/^[A-Za-z0-9](-*[A-Za-z0-9]){0,62}$/)
    .optional(),
  ...wordingFields,
});
export type AgentPayload = z.output<typeof payloadSchema>;
export type AgentPayloadInput = z.input<typeof payloadSchema>;

/** @throws {SpeechError} INVALID_REQUEST that names each wrong field. */
export function readAgentPayload(value: unknown): AgentPayload {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SpeechError("INVALID_REQUEST", 'the payload must be a JSON object, e.g. {"prompt": "..."}');
  }
  const result = payloadSchema.safeParse(value);
  if (!result.success) throw invalidFields(value as Record<string, unknown>, result.error);
  return result.data;
}

/** Audio format announced in `audio_stream_start`: PCM16 little-endian, mono. */
export const AGENT_AUDIO_FORMAT = "pcm16";

export type AgentEvent =
  | { type: "agent_start"; request_id: string; mode: AgentMode }
  | { type: "text_delta"; seq: number; text: string }
  | { type: "audio_stream_start"; format: string; voice: string; sample_rate: number }
  /** `data`: base64 of PCM16. On `/ws` a binary frame stands in its place, numbered by its order. */
  | { type: "audio_chunk"; seq: number; data: string }
  | { type: "audio_stream_end"; total_chunks: number; duration_s: number }
  /** `cancelled`: the caller cancelled this turn (barge-in on `/ws`); its text and audio are not whole. */
  | { type: "agent_end"; cancelled?: boolean }
  | { type: "error"; message: string; code?: ErrorCode; retryable?: boolean; request_id?: string };

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("agent_start"), request_id: z.string(), mode: z.enum(AGENT_MODES) }),
  z.object({ type: z.literal("text_delta"), seq: z.number().int(), text: z.string() }),
  z.object({
    type: z.literal("audio_stream_start"),
    format: z.string(),
    voice: z.string(),
    sample_rate: z.number().int().positive(),
  }),
  z.object({ type: z.literal("audio_chunk"), seq: z.number().int(), data: z.string() }),
  z.object({ type: z.literal("audio_stream_end"), total_chunks: z.number().int(), duration_s: z.number() }),
  z.object({ type: z.literal("agent_end"), cancelled: z.boolean().optional() }),
  z.object({
    type: z.literal("error"),
    message: z.string().catch(""),
    code: z.custom<ErrorCode>(isErrorCode).optional().catch(undefined),
    retryable: z.boolean().optional().catch(undefined),
    request_id: z.string().optional().catch(undefined),
  }),
]);

/**
 * Reads one event's JSON. An event of an unknown type is an extension: undefined, to be ignored.
 * @throws {SpeechError} PROTOCOL_VIOLATION when it is no JSON object or a known type lacks a field.
 */
export function readAgentEvent(json: string): AgentEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new SpeechError("PROTOCOL_VIOLATION", "the agent sent an event that is not valid JSON", { cause });
  }
  const type = typeof value === "object" && value !== null ? (value as { type?: unknown }).type : undefined;
  if (typeof type !== "string")
    throw new SpeechError("PROTOCOL_VIOLATION", "the agent sent an event without a type");
  if (!EVENT_TYPES.has(type)) return undefined;
  const result = eventSchema.safeParse(value);
  if (!result.success) {
    throw new SpeechError("PROTOCOL_VIOLATION", `the agent's ${type} event lacks a field`, {
      cause: result.error,
    });
  }
  return result.data;
}

const EVENT_TYPES: ReadonlySet<string> = new Set(
  eventSchema.options.map((option) => option.shape.type.value),
);

/** Header in which AgentCore carries the runtime session; 33 characters or more on AgentCore itself. */
export const RUNTIME_SESSION_HEADER = "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id";
