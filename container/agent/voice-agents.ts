/**
 * The conversations: one Strands agent for each runtime session, made at its first prompt, never shared between
 * callers. A session answers one prompt at a time. The history holds only whole exchanges: what a cancelled or
 * failed turn left behind is mended, because Bedrock refuses two messages of one role in a row.
 */
import { Agent, Message, type Model, TextBlock } from "@strands-agents/sdk";
import { SpeechError } from "../../lib/errors.ts";
import { untilAborted } from "./abortable.ts";

/** As long as AgentCore Runtime keeps an idle session (AgentCore guide, "Runtime session lifecycle"). */
const IDLE_MS = 15 * 60_000;
/**
 * How long a prompt waits for the turn before it in its session: one that was just left (barge-in over HTTP: the
 * caller closes and asks anew) ends within this; one that still speaks does not, and the prompt is refused.
 */
const BUSY_WAIT_MS = 1_000;

export interface VoiceAgentsOptions {
  readonly model: Model;
  readonly systemPrompt: string;
  readonly sessionsMax: number;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

interface Conversation {
  agent: Agent;
  /** Settles when the turn that runs has ended; undefined when none does. */
  running: Promise<void> | undefined;
  lastUsedMs: number;
}

export class VoiceAgents {
  readonly #options: VoiceAgentsOptions;
  readonly #nowMs: () => number;
  /** In order of last use, the longest idle first. */
  readonly #conversations = new Map<string, Conversation>();

  constructor(options: VoiceAgentsOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  get size(): number {
    return this.#conversations.size;
  }

  /**
   * Claims the session for one turn; `end` gives it back.
   * @throws {SpeechError} QUEUE_SATURATED when the session still answers, or every conversation kept is in use.
   */
  async begin(runtimeSessionId: string, signal: AbortSignal): Promise<ConversationTurn> {
    const conversation = this.#conversation(runtimeSessionId);
    if (conversation.running) await settlesWithin(conversation.running, BUSY_WAIT_MS, signal);
    signal.throwIfAborted();
    if (conversation.running) {
      throw new SpeechError(
        "QUEUE_SATURATED",
        "this session still answers another prompt; wait for its agent_end, close that call, or use another session id",
      );
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    conversation.running = promise;
    return new ConversationTurn(conversation.agent, (messages) => {
      if (messages) conversation.agent = this.#createAgent(messages);
      conversation.lastUsedMs = this.#nowMs();
      conversation.running = undefined;
      resolve();
    });
  }

  #conversation(runtimeSessionId: string): Conversation {
    this.#forgetIdle();
    let conversation = this.#conversations.get(runtimeSessionId);
    if (!conversation) {
      this.#makeRoom();
      conversation = { agent: this.#createAgent([]), running: undefined, lastUsedMs: this.#nowMs() };
    }
    this.#conversations.delete(runtimeSessionId);
    this.#conversations.set(runtimeSessionId, conversation);
    return conversation;
  }

  #forgetIdle(): void {
    const oldestMs = this.#nowMs() - IDLE_MS;
    for (const [id, conversation] of this.#conversations) {
      if (!conversation.running && conversation.lastUsedMs < oldestMs) this.#conversations.delete(id);
    }
  }

  #makeRoom(): void {
    if (this.#conversations.size < this.#options.sessionsMax) return;
    for (const [id, conversation] of this.#conversations) {
      if (conversation.running) continue;
      this.#conversations.delete(id);
      return;
    }
    throw new SpeechError(
      "QUEUE_SATURATED",
      `all ${this.#options.sessionsMax} conversations of this agent are in use; ask again in a while`,
    );
  }

  #createAgent(messages: Message[]): Agent {
    const { model, systemPrompt } = this.#options;
    // No retries of Strands' own: its first pause is four seconds, in which a listener hears nothing.
    return new Agent({ model, systemPrompt, messages, printer: false, retryStrategy: null });
  }
}

/** One prompt and its answer within a conversation. */
export class ConversationTurn {
  readonly #agent: Agent;
  readonly #release: (mendedMessages: Message[] | undefined) => void;
  readonly #before: readonly Message[];
  #prompt: string | undefined;
  #spoken = "";
  #whole = false;
  #released = false;

  constructor(agent: Agent, release: (mendedMessages: Message[] | undefined) => void) {
    this.#agent = agent;
    this.#release = release;
    this.#before = [...agent.messages];
  }

  /** Text deltas as the model writes them. `signal` also cancels the model's stream. Call once. */
  async *answer(prompt: string, signal: AbortSignal): AsyncGenerator<string> {
    this.#prompt = prompt;
    const events = this.#agent.stream(prompt, { cancelSignal: signal });
    for await (const event of untilAborted(events, signal)) {
      if (event.type !== "modelStreamUpdateEvent") continue;
      if (event.event.type !== "modelContentBlockDeltaEvent") continue;
      const { delta } = event.event;
      if (delta.type !== "textDelta" || delta.text === "") continue;
      this.#spoken += delta.text;
      yield delta.text;
    }
    signal.throwIfAborted();
    // An answer without a word is stored without content, which Bedrock would refuse in the next request.
    this.#whole = (this.#agent.messages.at(-1)?.content.length ?? 0) > 0;
  }

  /** Ends the turn, however it went, and mends the history if need be. Safe to call again. */
  end(): void {
    if (this.#released) return;
    this.#released = true;
    this.#release(this.#prompt === undefined || this.#whole ? undefined : this.#mended(this.#prompt));
  }

  /**
   * What was said stays said: an interrupted answer is kept as far as the caller got it, so that "go on" works. A
   * turn that brought no word is as if it had not been asked. The mended history goes to a new agent, because the
   * old one's stream may still be on its way out and would write into its own.
   */
  #mended(prompt: string): Message[] {
    const messages = [...this.#before];
    if (this.#spoken.trim() !== "") {
      messages.push(new Message({ role: "user", content: [new TextBlock(prompt)] }));
      messages.push(new Message({ role: "assistant", content: [new TextBlock(this.#spoken)] }));
    }
    return messages;
  }
}

/** Resolves when `running` settled, `waitMs` passed or `signal` fired, whichever comes first. */
async function settlesWithin(running: Promise<void>, waitMs: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, waitMs);
    signal.addEventListener("abort", done, { once: true });
    running.then(done);
  });
}
