import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  ERROR_KINDS,
  type ErrorCode,
  type ErrorKind,
  isAbortError,
  isErrorCode,
  isSpeechError,
  SpeechError,
  toSpeechError,
} from "../../lib/errors.ts";

const CODES = Object.keys(ERROR_KINDS) as ErrorCode[];

/** Rows of the table in docs/errors.md, by code. */
const DOCUMENTED = new Map(
  readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => /^\| `[A-Z_]+` \|/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .map(([code, meaning, source, retry, http, exit, todo, ...rest]) => [
      code!.replaceAll("`", ""),
      { meaning, source, retry, http, exit, todo, rest },
    ]),
);

describe("docs/errors.md", () => {
  it("has every code, and no other", () => {
    expect([...DOCUMENTED.keys()].sort()).toEqual([...CODES].sort());
  });

  it.each(CODES)("tells the truth about %s", (code) => {
    const kind: ErrorKind = ERROR_KINDS[code];
    const row = DOCUMENTED.get(code);
    expect(row).toMatchObject({
      source: kind.source,
      retry: kind.retryable ? "yes" : "no",
      http: kind.httpStatus === undefined ? "–" : String(kind.httpStatus),
      exit: String(kind.exitCode),
      rest: [],
    });
    expect(row?.meaning?.length).toBeGreaterThan(20);
    expect(row?.todo?.length).toBeGreaterThan(10);
  });
});

describe("kinds", () => {
  it.each(CODES)("%s is consistent", (code) => {
    const kind: ErrorKind = ERROR_KINDS[code];
    // What the caller must mend ends a command with 2, and only that.
    expect(kind.exitCode).toBe(kind.source === "caller" ? 2 : 1);
    if (kind.source === "service") expect(kind.retryable).toBe(true);
    if (kind.source === "internal") expect(kind.retryable).toBe(false);
  });
});

describe("SpeechError", () => {
  it("has the facts of its code", () => {
    const error = new SpeechError("QUEUE_SATURATED", "8 requests wait already", { details: { waiting: 8 } });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe("SpeechError");
    expect(error.message).toBe("8 requests wait already");
    expect(error).toMatchObject({
      code: "QUEUE_SATURATED",
      source: "service",
      retryable: true,
      details: { waiting: 8 },
    });
    expect(error.httpStatus).toBe(503);
    expect(error.exitCode).toBe(1);
  });

  it("lets one error overrule whether to retry", () => {
    expect(new SpeechError("TRANSPORT_FAILED", "m", { retryable: false }).retryable).toBe(false);
    expect(new SpeechError("INTERNAL", "m", { retryable: true }).retryable).toBe(true);
  });

  it("answers 500 where the code has no status of its own", () => {
    expect(new SpeechError("TRANSPORT_FAILED", "m").httpStatus).toBe(500);
  });

  it("keeps its cause, and has none where none was given", () => {
    const cause = new Error("inner");
    expect(new SpeechError("INTERNAL", "m", { cause }).cause).toBe(cause);
    expect(Object.hasOwn(new SpeechError("INTERNAL", "m"), "cause")).toBe(false);
  });

  it("is known across two copies of its module, and nothing else is", async () => {
    const url = new URL("../../lib/errors.ts?second-copy", import.meta.url).href;
    const copy = (await import(/* @vite-ignore */ url)) as { SpeechError: typeof SpeechError };
    expect(copy.SpeechError).not.toBe(SpeechError);
    expect(isSpeechError(new copy.SpeechError("INTERNAL", "m"))).toBe(true);
    for (const other of [new Error("m"), { code: "INTERNAL" }, "INTERNAL", null, undefined, 7]) {
      expect(isSpeechError(other)).toBe(false);
    }
  });

  it("does not show its brand when it is logged or copied", () => {
    expect(Object.keys(new SpeechError("INTERNAL", "m")).sort()).toEqual([
      "code",
      "details",
      "name",
      "retryable",
      "source",
    ]);
  });
});

describe("telling errors apart", () => {
  it("knows its codes", () => {
    for (const code of CODES) expect(isErrorCode(code)).toBe(true);
    for (const other of ["toString", "internal", "", 7, null, undefined])
      expect(isErrorCode(other)).toBe(false);
  });

  it("knows what an AbortSignal throws", () => {
    expect(isAbortError(AbortSignal.abort().reason)).toBe(true);
    expect(isAbortError(new DOMException("late", "TimeoutError"))).toBe(true);
    expect(isAbortError(new Error("AbortError"))).toBe(false);
    expect(isAbortError("AbortError")).toBe(false);
  });

  it("wraps what is not ours, with fixed words", () => {
    const ours = new SpeechError("THROTTLED", "slow down");
    expect(toSpeechError(ours, "INTERNAL", "fixed words")).toBe(ours);
    const theirs = new Error("secret");
    const wrapped = toSpeechError(theirs, "SYNTHESIS_FAILED", "fixed words");
    expect(wrapped).toMatchObject({ code: "SYNTHESIS_FAILED", message: "fixed words", cause: theirs });
  });
});
