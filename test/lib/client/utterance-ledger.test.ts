import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SpeechEvent, UtteranceLedger } from "../../../lib/client/utterance-ledger.ts";

const json = (message: unknown) => Buffer.from(JSON.stringify(message));
const start = (request_id: string) => json({ type: "synthesis_start", request_id });
const complete = (request_id: string) =>
  json({ type: "synthesis_complete", request_id, total_duration_s: 1, elapsed_s: 0.5 });
const failed = (request_id: string | null, code?: string) =>
  json({ type: "error", request_id, message: "no", ...(code && { code, retryable: true }) });

function ledgerOf(...ids: string[]): UtteranceLedger {
  const ledger = new UtteranceLedger();
  for (const id of ids) ledger.ask(id);
  return ledger;
}

function audioOf(events: (SpeechEvent | undefined)[]): Buffer {
  return Buffer.concat(events.map((event) => (event?.type === "audio" ? event.bytes : new Uint8Array())));
}

describe("UtteranceLedger", () => {
  it("counts the sentences of a turn and settles them in order", () => {
    const ledger = ledgerOf("a", "b");
    expect(ledger.oldestSentence).toBe(1);
    ledger.take(start("a"));
    ledger.take(complete("a"));
    expect(ledger.oldestSentence).toBe(2);
    expect(ledger.isEmpty).toBe(false);
    ledger.take(start("b"));
    ledger.take(complete("b"));
    expect(ledger.isEmpty).toBe(true);
  });

  it.each<[string, () => unknown]>([
    ["audio before any sentence", () => ledgerOf().take(new Uint8Array(4))],
    ["audio before synthesis_start", () => ledgerOf("a").take(new Uint8Array(4))],
    ["synthesis_start of an unknown id", () => ledgerOf("a").take(start("x"))],
    ["synthesis_start of the second sentence first", () => ledgerOf("a", "b").take(start("b"))],
    ["synthesis_complete without a start", () => ledgerOf("a").take(complete("a"))],
    ["an error of an unknown id", () => ledgerOf("a").take(failed("x"))],
    [
      "a synthesis_cancelled nobody asked for",
      () => ledgerOf("a").take(json({ type: "synthesis_cancelled", request_id: "a" })),
    ],
    [
      "a second synthesis_start",
      () => {
        const ledger = ledgerOf("a");
        ledger.take(start("a"));
        ledger.take(start("a"));
      },
    ],
    [
      "half a sample at the end",
      () => {
        const ledger = ledgerOf("a");
        ledger.take(start("a"));
        ledger.take(new Uint8Array(3));
        ledger.take(complete("a"));
      },
    ],
    [
      "audio after synthesis_complete",
      () => {
        const ledger = ledgerOf("a");
        ledger.take(start("a"));
        ledger.take(complete("a"));
        ledger.take(new Uint8Array(2));
      },
    ],
  ])("fails on %s", (_name, act) => {
    expect(act).toThrow(expect.objectContaining({ code: "PROTOCOL_VIOLATION" }));
  });

  it("never quotes a request id it does not know: it may be anything", () => {
    expect(() => ledgerOf("a").take(start("spoken text"))).not.toThrow(/spoken text/);
  });

  it("ignores message types it does not know, anywhere", () => {
    const ledger = ledgerOf("a");
    expect(ledger.take(json({ type: "word_timing", words: [] }))).toBeUndefined();
    ledger.take(start("a"));
    expect(ledger.take(json({ type: "word_timing", words: [] }))).toBeUndefined();
  });

  it("lets a refusal overtake the sentence being spoken", () => {
    const ledger = ledgerOf("a", "b");
    ledger.take(start("a"));
    expect(ledger.take(failed("b"))).toMatchObject({ type: "utterance-failed", sentence: 2 });
    expect(ledger.take(complete("a"))).toMatchObject({ type: "utterance-complete", sentence: 1 });
    expect(ledger.isEmpty).toBe(true);
  });

  it("takes an error without an id for the oldest sentence", () => {
    expect(ledgerOf("a", "b").take(failed(null))).toMatchObject({ sentence: 1 });
  });

  it("makes a failed sentence retryable only while none of its audio was heard", () => {
    const ledger = ledgerOf("a", "b");
    ledger.take(start("a"));
    ledger.take(new Uint8Array(2));
    expect(ledger.take(failed("a", "QUEUE_SATURATED"))).toMatchObject({ error: { retryable: false } });
    expect(ledger.take(failed("b", "QUEUE_SATURATED"))).toMatchObject({ error: { retryable: true } });
  });

  it("forgets an odd byte of a sentence that failed", () => {
    const ledger = ledgerOf("a", "b");
    ledger.take(start("a"));
    ledger.take(new Uint8Array([9, 9, 9]));
    ledger.take(failed("a"));
    ledger.take(start("b"));
    expect(ledger.take(new Uint8Array([1, 2]))).toMatchObject({ bytes: new Uint8Array([1, 2]) });
  });

  it("throws what a ModelStreamError stands for", () => {
    const part = json({
      ModelStreamError: { ErrorCode: "QUEUE_SATURATED", Message: "queue_saturated: full" },
    });
    expect(() => ledgerOf("a").take(part)).toThrow(
      expect.objectContaining({ code: "QUEUE_SATURATED", retryable: true }),
    );
  });

  it("gives the same whole samples however the audio is cut", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 0, maxLength: 200 }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        (bytes, cuts) => {
          // Never JSON by accident: the control rule is tested below.
          const pcm = Buffer.concat([Buffer.from([0x00]), bytes, Buffer.alloc((bytes.length + 1) % 2)]);
          const ledger = ledgerOf("a");
          ledger.take(start("a"));
          const bounds = [
            0,
            ...cuts.map((cut) => Math.min(cut, pcm.length)).sort((a, b) => a - b),
            pcm.length,
          ];
          const events = bounds.slice(1).map((end, i) => {
            const piece = pcm.subarray(bounds[i], end);
            // A piece that happens to be a JSON object is control by the wire's own rule.
            fc.pre(!isJsonObject(piece));
            return ledger.take(piece);
          });
          for (const event of events) if (event?.type === "audio") expect(event.bytes.length % 2).toBe(0);
          expect(audioOf(events).equals(pcm)).toBe(true);
          expect(() => ledger.take(complete("a"))).not.toThrow();
        },
      ),
    );
  });

  it("plays PCM that begins with 0x7b, whatever follows", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.boolean(), (tail, closed) => {
        const bytes = Buffer.concat([Buffer.from([0x7b]), tail, Buffer.from(closed ? [0x7d] : [])]);
        fc.pre(!isJsonObject(bytes));
        const ledger = ledgerOf("a");
        ledger.take(start("a"));
        const even = bytes.length - (bytes.length % 2);
        expect(audioOf([ledger.take(bytes)]).equals(bytes.subarray(0, even))).toBe(true);
      }),
    );
  });
});

function isJsonObject(bytes: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
