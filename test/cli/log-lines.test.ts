import { describe, expect, it } from "vitest";
import { logText, parseSince } from "../../cli/log-lines.ts";

describe("--since", () => {
  it.each([
    ["30s", 30_000],
    ["10m", 600_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
  ])("takes %s", (text, ms) => {
    expect(parseSince(text)).toBe(ms);
  });

  it.each(["", "10", "m", "1w", "-1m", "1.5h"])('fails for "%s" and says what is allowed', (text) => {
    expect(() => parseSince(text)).toThrow("--since must be a number with s, m, h or d, such as 10m");
  });
});

describe("a log line", () => {
  it("has its time before it", () => {
    expect(logText({ timeMs: 0, stream: "s", message: "listening" })).toBe(
      "1970-01-01T00:00:00.000Z listening",
    );
  });
});
