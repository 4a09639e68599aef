/** The real container server on a free loopback port, with a fake engine behind it and its log in memory. */
import { WebSocket } from "ws";
import { SYSTEM_CLOCK } from "../../container/tts/clock.ts";
import { createLog } from "../../container/tts/log.ts";
import { TtsServer, type TtsServerOptions } from "../../container/tts/server.ts";
import { SpeechService, type SpeechServiceOptions } from "../../container/tts/speech-service.ts";
import { BIDI_PATH } from "../../lib/protocol/limits.ts";
import { type ContainerMessage, readContainerPart } from "../../lib/protocol/messages.ts";
import { warmUpSpeakableText } from "../../lib/text/speakable-warm-up.ts";
import { FakeSynthesizer, type FakeSynthesizerOptions } from "./fake-synthesizer.ts";

export interface TestServerOptions
  extends Partial<Omit<TtsServerOptions, "service">>,
    Partial<Omit<SpeechServiceOptions, "log">>,
    FakeSynthesizerOptions {
  /** Leaves the server as it is while the model loads. */
  readonly isLoading?: boolean;
}

export async function startTestServer(options: TestServerOptions = {}) {
  const synthesizer = new FakeSynthesizer(options);
  await warmUpSpeakableText();
  const logLines: Record<string, unknown>[] = [];
  const service = new SpeechService({
    textMaxChars: options.textMaxChars ?? 10_000,
    turnsAtOnce: options.turnsAtOnce ?? 2,
    queueMax: options.queueMax ?? 8,
    clock: options.clock ?? SYSTEM_CLOCK,
    log: createLog((line) => logLines.push(JSON.parse(line)), Date.now),
  });
  if (!options.isLoading) service.becomeReady(synthesizer);
  const server = await TtsServer.start({ host: "127.0.0.1", port: 0, ...options, service });
  return {
    server,
    service,
    synthesizer,
    logLines,
    port: server.port,
    url: `http://127.0.0.1:${server.port}`,
    wsUrl: `ws://127.0.0.1:${server.port}${BIDI_PATH}`,
    close: () => server.drain(0),
  };
}
export type TestServer = Awaited<ReturnType<typeof startTestServer>>;

/** What a caller got, in order: messages as objects, audio as byte counts joined. */
export type Got = ContainerMessage | { type: "audio"; bytes: Buffer };

/** A caller by the `ws` package, with what it received. */
export class TestCaller {
  readonly socket: WebSocket;
  readonly got: Got[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: (() => void)[] = [];

  constructor(url: string, options: ConstructorParameters<typeof WebSocket>[2] = {}) {
    this.socket = new WebSocket(url, { perMessageDeflate: false, ...options });
    this.opened = new Promise((resolve, reject) => {
      this.socket.on("open", resolve);
      this.socket.on("error", reject);
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      this.socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    this.socket.on("message", (data: Buffer, isBinary) => {
      const part = readContainerPart(isBinary ? data : data.toString());
      if (part.kind === "audio") this.got.push({ type: "audio", bytes: Buffer.from(part.bytes) });
      else if (part.kind === "message") this.got.push(part.message);
      for (const wake of this.#wake.splice(0)) wake();
    });
    this.socket.on("close", () => {
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  send(message: unknown, options: { binary?: boolean } = {}): void {
    const data = typeof message === "string" || Buffer.isBuffer(message) ? message : JSON.stringify(message);
    this.socket.send(data, { binary: options.binary ?? Buffer.isBuffer(data) });
  }

  /** Waits until something received answers. */
  async until(isMet: (got: readonly Got[]) => boolean): Promise<void> {
    while (!isMet(this.got)) {
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`closed; got ${this.types().join(" ")}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  /** Waits until so many answers came that end a message: complete, cancelled or error. */
  answers(count: number): Promise<void> {
    return this.until((got) => got.filter((part) => ENDS.has(part.type)).length >= count);
  }

  /** Kinds in order, audio frames in a row counted once. */
  types(): string[] {
    return this.got
      .map((part) => part.type)
      .filter((type, i, all) => type !== "audio" || all[i - 1] !== "audio");
  }

  messages(): ContainerMessage[] {
    return this.got.filter((part) => part.type !== "audio");
  }

  audio(): Buffer {
    return Buffer.concat(this.got.flatMap((part) => (part.type === "audio" ? [part.bytes] : [])));
  }
}
const ENDS = new Set(["synthesis_complete", "synthesis_cancelled", "error"]);
