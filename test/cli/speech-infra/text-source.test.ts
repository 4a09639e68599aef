import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openText } from "../../../cli/speech-infra/text-source.ts";

const never = new AbortController().signal;
const stdinOf = (...chunks: (string | Uint8Array)[]) =>
  Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
const noStdin = stdinOf();

async function read(fragments: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const fragment of fragments) text += fragment;
  return text;
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "text-source-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("openText", () => {
  it("takes the argument as it is", async () => {
    expect(await read(await openText({ text: " Hello. " }, noStdin, never))).toBe(" Hello. ");
  });

  it("gives standard input back whole, wherever it was cut", async () => {
    const text = "\n\n  „Grüße“, said 🐋 no. 5.\n";
    const bytes = Buffer.from(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
        // White space before the first word may be dropped, nothing else.
        expect((await read(await openText({ text: "-" }, stdinOf(...chunks), never))).trim()).toBe(
          text.trim(),
        );
      }),
      { numRuns: 50 },
    );
  });

  it("does not wait for the end of standard input", async () => {
    const stdin = new Readable({ read() {} });
    const opened = openText({ text: "-" }, stdin, never);
    stdin.push("First. ");
    const fragments = (await opened)[Symbol.asyncIterator]();
    expect((await fragments.next()).value).toBe("First. ");
    stdin.push("Second.");
    expect((await fragments.next()).value).toBe("Second.");
    stdin.push(null);
    expect((await fragments.next()).done).toBe(true);
  });

  it("reads a file", async () => {
    const file = join(folder, "text.txt");
    await writeFile(file, "Of a file.");
    expect(await read(await openText({ file }, noStdin, never))).toBe("Of a file.");
  });

  it.each([
    [{}, noStdin, /got none/],
    [{ text: "a", file: "b" }, noStdin, /got both/],
    [{ text: "" }, noStdin, /the text is empty/],
    [{ text: " ... !" }, noStdin, /the text has no letter or digit to say/],
    [{ text: "-" }, stdinOf(), /standard input is empty/],
    [{ text: "-" }, stdinOf("\n \n"), /standard input is empty/],
    [{ text: "-" }, stdinOf("a", Uint8Array.of(0xff, 0xfe)), undefined],
    [{ text: "-" }, stdinOf(Uint8Array.of(0xff, 0xfe)), /standard input is not UTF-8 text/],
    [{ text: "-" }, stdinOf(Uint8Array.of(0xc3)), /standard input is not UTF-8 text/],
    [{ text: "-" }, stdinOf("a\0b"), /standard input holds binary data/],
    [{ text: "-" }, Object.assign(stdinOf(), { isTTY: true }), /standard input is the keyboard/],
    [{ file: "/nonexistent" }, noStdin, /cannot read \/nonexistent: no such file/],
    [{ file: "." }, noStdin, /cannot read \.: it is a folder/],
  ])("fails on %j before anything is spoken", async (choice, stdin, message) => {
    const opened = openText(choice, stdin, never);
    if (message) await expect(opened).rejects.toThrow(message);
    else await expect(read(await opened)).rejects.toThrow(/not UTF-8/);
  });

  it("stops waiting when it is aborted", async () => {
    const stop = new AbortController();
    const opened = openText({ text: "-" }, new Readable({ read() {} }), stop.signal);
    stop.abort(new DOMException("interrupted", "AbortError"));
    await expect(opened).rejects.toThrow("interrupted");
  });
});
