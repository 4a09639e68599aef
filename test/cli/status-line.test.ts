import { describe, expect, it } from "vitest";
import { progressBar, StatusLine, shorten } from "../../cli/status-line.ts";
import { MemoryStream } from "../helpers/memory-stream.ts";

function statusLine(stream: MemoryStream, plain = false) {
  const clock = { ms: 0 };
  return { clock, line: new StatusLine({ stream, plain, nowMs: () => clock.ms }) };
}

describe("StatusLine in a terminal", () => {
  it("rewrites one line, at most ten times a second", () => {
    const stream = new MemoryStream({ isTTY: true, columns: 80 });
    const { clock, line } = statusLine(stream);
    line.update("one");
    clock.ms = 50;
    line.update("too soon");
    clock.ms = 100;
    line.update("two");
    expect(stream.text).toBe("\r\u001b[Kone\r\u001b[Ktwo");
  });

  it("cuts the line to the terminal's width, so that it never wraps", () => {
    const stream = new MemoryStream({ isTTY: true, columns: 30 });
    const { line } = statusLine(stream);
    line.update("x".repeat(100));
    expect(stream.text.replace("\r\u001b[K", "")).toHaveLength(29);
  });

  it("takes its line away before something else is written, and only then", () => {
    const stream = new MemoryStream({ isTTY: true });
    const { line } = statusLine(stream);
    line.clear();
    expect(stream.text).toBe("");
    line.update("busy");
    line.clear();
    line.clear();
    expect(stream.text).toBe("\r\u001b[Kbusy\r\u001b[K");
  });
});

describe.each([
  { name: "in a pipe", stream: () => new MemoryStream(), plain: false },
  { name: "in a plain terminal", stream: () => new MemoryStream({ isTTY: true }), plain: true },
])("StatusLine $name", ({ stream: make, plain }) => {
  it("writes a line every five seconds, without moving the cursor", () => {
    const stream = make();
    const { clock, line } = statusLine(stream, plain);
    for (clock.ms = 0; clock.ms <= 11_000; clock.ms += 100) line.update(`at ${clock.ms}`);
    expect(stream.text).toBe("at 5000\nat 10000\n");
  });

  it("says nothing of work that is done quickly", () => {
    const stream = make();
    const { clock, line } = statusLine(stream, plain);
    clock.ms = 4_000;
    line.update("almost");
    line.clear();
    expect(stream.text).toBe("");
  });
});

describe("progressBar", () => {
  it.each([
    [0, 92e6, "Weights [--------------------]   0 %  0 of 92 MB"],
    [46e6, 92e6, "Weights [##########----------]  50 %  46 of 92 MB"],
    [91.99e6, 92e6, "Weights [###################-]  99 %  92 of 92 MB"],
    [92e6, 92e6, "Weights [####################] 100 %  92 of 92 MB"],
    [99e6, 92e6, "Weights [####################] 100 %  99 of 92 MB"],
    [46e6, 0, "Weights  46 MB"],
    [46e6, undefined, "Weights  46 MB"],
  ])("shows %d of %j bytes", (done, total, expected) => {
    expect(progressBar("Weights", done, total)).toBe(expected);
  });
});

describe("shorten", () => {
  it("marks that something is missing", () => {
    expect(shorten("abcdef", 6)).toBe("abcdef");
    expect(shorten("abcdefg", 6)).toBe("abc...");
  });
});
