import { describe, expect, it } from "vitest";
import { type Check, isPassed, ok, runCheck } from "../../../../lib/deploy/preflight/finding.ts";
import { SpeechError } from "../../../../lib/errors.ts";

const check = (run: Check["run"]): Check => ({ name: "quota", subject: "the quota", needsAws: true, run });
const signal = new AbortController().signal;

describe("a check", () => {
  it("gives its finding", async () => {
    expect(
      await runCheck(
        check(async () => ok("quota", "2")),
        signal,
      ),
    ).toEqual(ok("quota", "2"));
  });

  it("that cannot be made is a warning that says why", async () => {
    const denied = check(async () => {
      throw new SpeechError("ACCESS_DENIED", "these credentials may not do servicequotas:ListServiceQuotas");
    });
    expect(await runCheck(denied, signal)).toEqual({
      check: "quota",
      state: "warning",
      message: "the quota could not be checked: these credentials may not do servicequotas:ListServiceQuotas",
    });
  });

  it("that is silent, and hears no signal, is a warning at its limit", async () => {
    const silent = check(() => new Promise(() => {}));
    expect(await runCheck(silent, signal, 1)).toMatchObject({
      state: "warning",
      message: "the quota could not be checked: no answer within 0.001 s",
    });
  });

  it("fails with the signal's reason when everything is cancelled", async () => {
    const cancel = new AbortController();
    const result = runCheck(
      check(() => new Promise(() => {})),
      cancel.signal,
    );
    cancel.abort(new DOMException("interrupted", "AbortError"));
    await expect(result).rejects.toMatchObject({ name: "AbortError" });
  });

  it("that warns lets a deployment pass, one that failed does not", () => {
    const warns = { check: "quota", state: "warning", message: "" } as const;
    expect(isPassed([ok("names", ""), warns])).toBe(true);
    expect(isPassed([ok("names", ""), { ...warns, state: "failed" }])).toBe(false);
  });
});
