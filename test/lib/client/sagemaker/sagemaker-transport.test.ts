import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PayloadPart } from "../../../../lib/client/sagemaker/event-stream.ts";
import { joinParts } from "../../../../lib/client/sagemaker/sagemaker-transport.ts";

async function join(parts: PayloadPart[], partMaxBytes = 1_000): Promise<Buffer[]> {
  async function* source() {
    yield* parts;
  }
  const joined: Buffer[] = [];
  for await (const part of joinParts(source(), partMaxBytes)) joined.push(Buffer.from(part));
  return joined;
}

describe("joinParts", () => {
  it("gives the same whole parts however each was fragmented", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.uint8Array({ maxLength: 50 }), fc.array(fc.nat(50), { maxLength: 4 })), {
          maxLength: 5,
        }),
        async (wholes) => {
          const parts = wholes.flatMap(([bytes, cuts]): PayloadPart[] => {
            const bounds = [0, ...cuts.map((c) => Math.min(c, bytes.length)).sort((a, b) => a - b)];
            const pieces = bounds.slice(1).map((end, i) => bytes.subarray(bounds[i], end));
            return [
              ...pieces.map((piece): PayloadPart => ({ bytes: piece, completionState: "PARTIAL" })),
              { bytes: bytes.subarray(bounds.at(-1)), completionState: "COMPLETE" },
            ];
          });
          expect(await join(parts)).toEqual(wholes.map(([bytes]) => Buffer.from(bytes)));
        },
      ),
    );
  });

  it("takes a part without a completion state for whole", async () => {
    expect(await join([{ bytes: Buffer.from("a") }, { bytes: Buffer.from("b") }])).toHaveLength(2);
  });

  it("fails when the stream ends inside a part, even an empty one", async () => {
    for (const bytes of [Buffer.from("a"), Buffer.alloc(0)]) {
      await expect(join([{ bytes, completionState: "PARTIAL" }])).rejects.toMatchObject({
        code: "TRANSPORT_FAILED",
      });
    }
  });

  it("fails when the pieces grow past the limit", async () => {
    const endless = Array.from(
      { length: 20 },
      (): PayloadPart => ({ bytes: Buffer.alloc(100), completionState: "PARTIAL" }),
    );
    await expect(join(endless)).rejects.toMatchObject({ code: "PROTOCOL_VIOLATION" });
  });
});
