/**
 * The Converse API's messages as far as a text answer needs them: a request checked as Bedrock checks it, the
 * events of a streamed answer. Source: Amazon Bedrock API reference, Converse and ConverseStream.
 */
import { AwsFault } from "./aws-fault.ts";
import { splitTokens } from "./bedrock-tokens.ts";
import { encodeEvent } from "./event-stream.ts";

export interface ConverseRequest {
  /** Text of the last message, which must be the user's. */
  readonly prompt: string;
  readonly inputTokens: number;
  readonly maxTokens: number;
}

/** `provider.model`, also with a region's prefix or a version; or an ARN. API reference, `modelId`. */
const MODEL_ID = /^(arn:aws[a-z-]*:bedrock:[^\s]+|([a-z0-9-]+\.)?[a-z0-9-]+\.[a-zA-Z0-9_.:-]+)$/;

const invalid = (message: string) => new AwsFault(400, "ValidationException", message);

/** @param known when given, the only ids taken. @throws {AwsFault} ValidationException */
export function checkModelId(encodedId: string, known: readonly string[] | undefined): string {
  let id = "";
  try {
    id = decodeURIComponent(encodedId);
  } catch {
    // stays empty, which no pattern takes
  }
  if (known ? !known.includes(id) : !MODEL_ID.test(id)) {
    throw invalid("The provided model identifier is invalid.");
  }
  return id;
}

/** @throws {AwsFault} ValidationException */
export function readConverseRequest(body: Buffer): ConverseRequest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString("utf8"));
  } catch {
    throw invalid("The request body is not JSON.");
  }
  const request = record(parsed);
  const messages = Array.isArray(request.messages) ? request.messages.map(record) : [];
  if (messages.length === 0 || messages[0]!.role !== "user") {
    throw invalid(
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
    );
  }
  const last = messages.at(-1)!;
  if (last.role !== "user") throw invalid("The last turn in a conversation must be a user message.");
  const prompt = textOf(last);
  if (prompt.trim() === "") {
    throw invalid(
      "The text field in the ContentBlock object is blank. Add text to the text field, and try again.",
    );
  }
  const maxTokens = record(request.inferenceConfig).maxTokens ?? Number.POSITIVE_INFINITY;
  if (typeof maxTokens !== "number" || maxTokens < 1) throw invalid("maxTokens must be at least 1.");
  const system = Array.isArray(request.system) ? request.system.map(record) : [];
  const said = [...system.map((block) => String(block.text ?? "")), ...messages.map(textOf)];
  return { prompt, maxTokens, inputTokens: said.reduce((sum, text) => sum + splitTokens(text).length, 0) };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(message: Record<string, unknown>): string {
  const content = Array.isArray(message.content) ? message.content.map(record) : [];
  return content.map((block) => (typeof block.text === "string" ? block.text : "")).join("\n");
}

export type StopReason = "end_turn" | "max_tokens";

export interface ConverseUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

export const usageOf = (inputTokens: number, outputTokens: number): ConverseUsage => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});

const event = (type: string, body: object) =>
  encodeEvent(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    Buffer.from(JSON.stringify(body)),
  );

/** The events of a streamed answer, in the order they come. */
export const converseEvents = {
  messageStart: () => event("messageStart", { role: "assistant" }),
  contentBlockDelta: (text: string) => event("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
  contentBlockStop: () => event("contentBlockStop", { contentBlockIndex: 0 }),
  messageStop: (stopReason: StopReason) => event("messageStop", { stopReason }),
  metadata: (usage: ConverseUsage, latencyMs: number) => event("metadata", { usage, metrics: { latencyMs } }),
  exception: (type: string, message: string) =>
    encodeEvent(
      { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
      Buffer.from(JSON.stringify({ message })),
    ),
};
