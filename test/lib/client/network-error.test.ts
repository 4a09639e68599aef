import { describe, expect, it } from "vitest";
import { networkError } from "../../../lib/client/network-error.ts";
import { SpeechError } from "../../../lib/errors.ts";

const coded = (code: string, options: { cause?: unknown } = {}) =>
  Object.assign(new Error("Node's own words about /a/path", options), { code });

describe("networkError", () => {
  it("keeps the original as cause, and its words out of the message", () => {
    const cause = coded("ECONNRESET");
    const error = networkError(cause, "host:1");
    expect(error).toMatchObject({ code: "TRANSPORT_FAILED", cause, details: { networkCode: "ECONNRESET" } });
    expect(error.message).toBe("host:1 reset the connection");
  });

  it("finds the code that says most, however deep it is wrapped", () => {
    const fetchFailed = new TypeError("fetch failed", { cause: coded("ECONNREFUSED") });
    const cancelled = coded("ERR_HTTP2_STREAM_CANCEL", { cause: coded("ENOTFOUND") });
    const eyeballs = new AggregateError([coded("ECONNREFUSED")]);
    expect(networkError(fetchFailed, "h").message).toMatch(/refused/);
    expect(networkError(cancelled, "h").message).toMatch(/no address/);
    expect(networkError(eyeballs, "h").message).toMatch(/refused/);
    expect(networkError(coded("EWHATEVER"), "h")).toMatchObject({ details: { networkCode: "EWHATEVER" } });
  });

  it.each(["DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_TLS_CERT_ALTNAME_INVALID", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"])(
    "takes %s for a fault of set-up that no retry mends",
    (code) => {
      expect(networkError(coded(code), "h")).toMatchObject({
        code: "CONFIGURATION",
        retryable: false,
        message: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
      });
    },
  );

  it("leaves SpeechErrors and aborts alone", () => {
    const ours = new SpeechError("THROTTLED", "x");
    const abort = new DOMException("aborted", "AbortError");
    expect(networkError(ours, "h")).toBe(ours);
    expect(networkError(abort, "h")).toBe(abort);
  });

  it.each([undefined, null, "a string", { code: 42 }])("does not stumble over %o", (cause) => {
    expect(networkError(cause, "h")).toMatchObject({ code: "TRANSPORT_FAILED" });
  });
});
