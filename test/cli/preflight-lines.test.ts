import { describe, expect, it } from "vitest";
import { preflightLines } from "../../cli/preflight-lines.ts";
import { failed, ok, warning } from "../../lib/deploy/preflight/finding.ts";

describe("a preflight's lines", () => {
  it("are one a finding when all is well", () => {
    expect(preflightLines([ok("credentials", "account 1"), ok("names", "speech")])).toEqual([
      "ok  credentials  account 1",
      "ok  names        speech",
    ]);
  });

  it("end with what to do about each that is not", () => {
    expect(
      preflightLines([
        ok("names", "speech"),
        failed("bootstrap", "none", "cdk"),
        warning("quota", "unknown"),
      ]),
    ).toEqual([
      "ok       names      speech",
      "FAILED   bootstrap  none",
      "warning  quota      unknown",
      "",
      "Next:",
      "  bootstrap  cdk",
    ]);
  });
});
