/**
 * `POST /invocations` of the TTS container: one text in, one body, chunked audio or SSE events out.
 * docs/protocol.md lists the answers; the container makes them, lib/client reads them.
 */
import { z } from "zod";
import { SpeechError } from "../errors.ts";
import { invalidFields, synthesisFields } from "./messages.ts";

const invocationSchema = z.object({
  ...synthesisFields,
  stream: z.boolean().optional(),
  transport: z.enum(["binary", "sse"]).optional(),
  format: z.enum(["wav", "mp3", "pcm"]).optional(),
});
export type InvocationRequest = z.infer<typeof invocationSchema>;
export type AudioFileFormat = NonNullable<InvocationRequest["format"]>;

export const AUDIO_CONTENT_TYPES: Record<AudioFileFormat, string> = {
  wav: "audio/wav",
  mp3: "audio/mpeg",
  pcm: "audio/pcm",
};

/** Facts about the audio, on an answer that is not streamed. */
export const RESULT_HEADERS = {
  audioDuration: "X-Audio-Duration",
  inferenceTimeMs: "X-Inference-Time-Ms",
  rtf: "X-RTF",
  charactersProcessed: "X-Characters-Processed",
} as const;
/** Echo of the caller's id, or the one made for it; on every answer, errors too. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/** @throws {SpeechError} INVALID_REQUEST that names each wrong field. */
export function readInvocation(body: Uint8Array | string): InvocationRequest {
  let value: unknown;
  try {
    value = JSON.parse(
      typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body),
    );
  } catch (cause) {
    throw new SpeechError("INVALID_REQUEST", 'the body is not valid JSON; send {"text": "..."}', { cause });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SpeechError("INVALID_REQUEST", "the body must be a JSON object");
  }
  const result = invocationSchema.safeParse(value);
  if (!result.success) throw invalidFields(value as Record<string, unknown>, result.error);
  return result.data;
}

/** Events of `transport: "sse"`. `data` is base64. */
export type InvocationEvent =
  | {
      type: "audio_stream_start";
      request_id: string;
      format: AudioFileFormat;
      sample_rate: number;
      voice: string;
    }
  | { type: "audio_chunk"; seq: number; data: string }
  | { type: "audio_stream_end"; request_id: string; total_chunks: number; duration_s: number }
  | { type: "error"; request_id: string; message: string; code: string; retryable: boolean };
