/**
 * A SpeechTransport and its far end, both in memory: no socket, no clock. The far end is a container that the test
 * plays by hand. Parts are handed over only when they are read, so that a test can count what was pulled.
 */
import type { SpeechTransport } from "../../lib/client/transport.ts";

export interface FarEnd {
  /** Messages that arrived, in order. */
  readonly received: Record<string, unknown>[];
  /** Resolves when so many messages have arrived. */
  receivedCount(count: number): Promise<void>;
  readonly inputEnded: boolean;
  readonly destroyedWith: unknown;
  /** Parts handed over to the reader so far. */
  readonly pulledCount: number;
  json(message: unknown): void;
  audio(bytes: Uint8Array): void;
  end(): void;
  fail(reason: unknown): void;
  /** While true, `send` does not resolve: a transport without room. */
  holdSends(held: boolean): void;
}

type Item = { part: Uint8Array } | { failure: unknown } | { end: true };

export function duplexPair(): { transport: SpeechTransport; far: FarEnd } {
  const received: Record<string, unknown>[] = [];
  const items: Item[] = [];
  let news = Promise.withResolvers<void>();
  let room = Promise.resolve();
  let openRoom = () => {};
  let arrived = Promise.withResolvers<void>();
  let pulledCount = 0;
  let inputEnded = false;
  /** Present from `destroy` on. */
  const destroyed: { reason?: unknown } = {};
  const throwIfDestroyed = (): void => {
    if ("reason" in destroyed) throw destroyed.reason;
  };

  const put = (item: Item) => {
    items.push(item);
    news.resolve();
  };

  async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
    while (true) {
      if ("reason" in destroyed) throw destroyed.reason;
      const item = items.shift();
      if (!item) {
        news = Promise.withResolvers();
        await news.promise;
        continue;
      }
      if ("failure" in item) throw item.failure;
      if ("end" in item) return;
      pulledCount++;
      yield item.part;
    }
  }

  return {
    transport: {
      parts: parts(),
      async send(message) {
        throwIfDestroyed();
        received.push(JSON.parse(message));
        arrived.resolve();
        arrived = Promise.withResolvers();
        await room;
        throwIfDestroyed();
      },
      async end() {
        inputEnded = true;
      },
      destroy(reason) {
        destroyed.reason ??= reason;
        openRoom();
        news.resolve();
      },
    },
    far: {
      received,
      async receivedCount(count) {
        while (received.length < count) await arrived.promise;
      },
      get inputEnded() {
        return inputEnded;
      },
      get destroyedWith() {
        return destroyed.reason;
      },
      get pulledCount() {
        return pulledCount;
      },
      json: (message) => put({ part: Buffer.from(JSON.stringify(message)) }),
      audio: (bytes) => put({ part: bytes }),
      end: () => put({ end: true }),
      fail: (failure) => put({ failure }),
      holdSends(held) {
        if (!held) return openRoom();
        const opening = Promise.withResolvers<void>();
        room = opening.promise;
        openRoom = opening.resolve;
      },
    },
  };
}
