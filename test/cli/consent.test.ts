import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { requireConsent } from "../../cli/consent.ts";
import { Output } from "../../cli/output.ts";
import type { CliContext, StdinStream } from "../../cli/run.ts";
import { MemoryStream } from "../helpers/memory-stream.ts";

function context(typed: string | undefined): { context: CliContext; stderr: MemoryStream } {
  const stderr = new MemoryStream();
  const stdin: StdinStream = Object.assign(Readable.from(typed === undefined ? [] : [typed]), {
    isTTY: typed !== undefined,
  });
  return {
    stderr,
    context: {
      output: new Output({ stdout: new MemoryStream(), stderr, json: false }),
      signal: new AbortController().signal,
      env: {},
      stdin,
    },
  };
}

const QUESTION = { given: false, question: "Deploy?", flag: "--yes" };

describe("requireConsent", () => {
  it("asks nothing where it is given", async () => {
    const { context: here, stderr } = context(undefined);
    await requireConsent({ ...QUESTION, given: true }, here);
    expect(stderr.text).toBe("");
  });

  it("takes the word typed at a terminal", async () => {
    const { context: here, stderr } = context("yes\n");
    await requireConsent(QUESTION, here);
    expect(stderr.text).toBe("Deploy? Type yes to go on: ");
  });

  it.each(["no\n", "y\n", "\n", ""])("fails for %j", async (typed) => {
    await expect(requireConsent(QUESTION, context(typed).context)).rejects.toThrow(
      "not confirmed (yes was not typed); nothing was changed",
    );
  });

  it("fails for yes where another word is asked for", async () => {
    await expect(requireConsent({ ...QUESTION, word: "purge" }, context("yes\n").context)).rejects.toThrow(
      "purge was not typed",
    );
  });

  it("fails without a terminal, and names the flag", async () => {
    await expect(requireConsent(QUESTION, context(undefined).context)).rejects.toThrow(
      /no terminal to ask in; give --yes; nothing was changed/,
    );
  });
});
