/**
 * The three answers of POST /invocations: one whole file, the same file chunked as it is spoken, and SSE events. Nothing is
 * sent before the first audio, so that what fails before it can still be answered with a status of its own.
 */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { samplesToSeconds } from "../../lib/audio/format.ts";
import {
  AUDIO_CONTENT_TYPES,
  type AudioFileFormat,
  type InvocationEvent,
  type InvocationRequest,
  REQUEST_ID_HEADER,
  RESULT_HEADERS,
} from "../../lib/protocol/invocations.ts";
import { SAMPLE_RATE_HZ, VOICE_DEFAULT } from "../../lib/protocol/limits.ts";
import { encodeSse } from "../../lib/protocol/sse.ts";
import { toWireError } from "../../lib/protocol/wire-errors.ts";
import type { AudioBodyEncoder } from "./audio-body.ts";
import { write } from "./http-answer.ts";
import { requestIdHeader } from "./request-id.ts";
import { countChars } from "./speech-service.ts";
import type { Utterance } from "./utterance.ts";

export interface InvocationAnswer {
  readonly response: ServerResponse;
  readonly request: InvocationRequest;
  readonly requestId: string;
  readonly utterance: Utterance;
  readonly encoder: AudioBodyEncoder;
  /** Aborts when the caller is gone. */
  readonly signal: AbortSignal;
}

export function formatOf(request: InvocationRequest): AudioFileFormat {
  return request.format ?? "wav";
}

export function rateOf(request: InvocationRequest): number {
  return request.sample_rate ?? SAMPLE_RATE_HZ;
}

/** The whole file: its facts go in front of it, so all of it is in memory once, bounded by the longest text. */
export async function answerWhole(answer: InvocationAnswer): Promise<void> {
  const { response, request, utterance, encoder, signal } = answer;
  const pieces: Uint8Array[] = [];
  for await (const slice of utterance.slices(signal)) pieces.push(encoder.encode(slice));
  pieces.push(encoder.tail());
  const dataBytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const head = encoder.head(dataBytes);
  const audioSeconds = samplesToSeconds(utterance.samples, rateOf(request));
  const rtf = audioSeconds === 0 ? 0 : utterance.inferenceMs / 1000 / audioSeconds;
  response.writeHead(200, {
    ...audioHeaders(answer),
    "Content-Length": head.length + dataBytes,
    [RESULT_HEADERS.audioDuration]: audioSeconds.toFixed(3),
    [RESULT_HEADERS.inferenceTimeMs]: utterance.inferenceMs.toFixed(1),
    [RESULT_HEADERS.rtf]: rtf.toFixed(4),
    [RESULT_HEADERS.charactersProcessed]: countChars(request.text),
  });
  for (const piece of [head, ...pieces]) await write(response, piece);
  response.end();
}

/** The same file, each slice as soon as it is spoken. */
export async function answerChunked(answer: InvocationAnswer): Promise<void> {
  const { response, utterance, encoder, signal } = answer;
  const begin = async () => {
    if (response.headersSent) return;
    response.writeHead(200, audioHeaders(answer));
    await write(response, encoder.head());
  };
  for await (const slice of utterance.slices(signal)) {
    await begin();
    await write(response, encoder.encode(slice));
  }
  await begin();
  await write(response, encoder.tail());
  response.end();
}

/**
 * Events with the same file in base64. What fails midway is told by an `error` event, and the stream ends properly.
 * @throws the failure, in both cases.
 */
export async function answerEvents(answer: InvocationAnswer): Promise<void> {
  const { response, request, requestId, utterance, encoder, signal } = answer;
  const send = (event: InvocationEvent) => write(response, encodeSse(JSON.stringify(event)));
  let chunks = 0;
  const sendAudio = async (bytes: Uint8Array) => {
    if (bytes.length === 0) return;
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
    await send({ type: "audio_chunk", seq: chunks++, data });
  };
  const begin = async () => {
    if (response.headersSent) return;
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      [REQUEST_ID_HEADER]: requestIdHeader(requestId),
    });
    const [format, voice] = [formatOf(request), request.voice ?? VOICE_DEFAULT];
    await send({
      type: "audio_stream_start",
      request_id: requestId,
      format,
      sample_rate: rateOf(request),
      voice,
    });
    await sendAudio(encoder.head());
  };
  try {
    for await (const slice of utterance.slices(signal)) {
      await begin();
      await sendAudio(encoder.encode(slice));
    }
    await begin();
    await sendAudio(encoder.tail());
    await send({
      type: "audio_stream_end",
      request_id: requestId,
      total_chunks: chunks,
      duration_s: samplesToSeconds(utterance.samples, rateOf(request)),
    });
    response.end();
  } catch (error) {
    if (response.headersSent && !signal.aborted) {
      await send({ type: "error", request_id: requestId, ...toWireError(error) });
      response.end();
    }
    throw error;
  }
}

function audioHeaders({ request, requestId }: InvocationAnswer): OutgoingHttpHeaders {
  return {
    "Content-Type": AUDIO_CONTENT_TYPES[formatOf(request)],
    [REQUEST_ID_HEADER]: requestIdHeader(requestId),
  };
}
