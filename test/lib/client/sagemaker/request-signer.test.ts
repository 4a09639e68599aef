import { describe, expect, it } from "vitest";
import { RequestSigner } from "../../../../lib/client/sagemaker/request-signer.ts";
import { decodeEvent } from "../../../../lib/local/event-stream.ts";
import { RequestSignature, sha256Hex } from "../../../../lib/local/signature.ts";

const CREDENTIALS = { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "local-demo-secret" };
const URL_OF_CALL = new URL("https://runtime.sagemaker.us-east-1.amazonaws.com:8443/endpoints/speech/x-y");

/** Checked by code that shares nothing with Smithy's signer. */
function check(headers: Record<string, string>, nowMs: () => number, secret = CREDENTIALS.secretAccessKey) {
  return new RequestSignature(
    { method: "POST", target: URL_OF_CALL.pathname, header: (name) => headers[name] },
    { service: "sagemaker", region: "us-east-1", secretFor: () => secret, nowMs },
  );
}

describe("RequestSigner", () => {
  const now = new Date("2026-03-01T12:00:00Z");

  it("signs a request with a body", async () => {
    const signer = await RequestSigner.create({
      region: "us-east-1",
      credentials: CREDENTIALS,
      now: () => now,
    });
    const body = Buffer.from('{"text":"x"}');
    const headers = await signer.signRequest({
      url: URL_OF_CALL,
      headers: { "content-type": "application/json" },
      body,
    });
    expect(headers.host).toBe("runtime.sagemaker.us-east-1.amazonaws.com:8443");
    expect(() => check(headers, () => now.getTime()).verify(sha256Hex(body))).not.toThrow();
    expect(() => check(headers, () => now.getTime(), "another secret").verify(sha256Hex(body))).toThrow();
  });

  it("signs every event in a chain, across midnight too", async () => {
    let clockMs = Date.parse("2026-03-01T23:59:58Z");
    const signer = await RequestSigner.create({
      region: "us-east-1",
      credentials: CREDENTIALS,
      now: () => new Date(clockMs),
    });
    const headers = await signer.signRequest({ url: URL_OF_CALL, headers: {} });
    expect(headers["x-amz-content-sha256"]).toBe("STREAMING-AWS4-HMAC-SHA256-EVENTS");
    const signature = check(headers, () => clockMs);
    signature.verify();
    const chain = signer.eventChain(headers);
    const checked = signature.events();
    for (const body of ["one", "two", "three", ""]) {
      clockMs += 1_000;
      const event = decodeEvent(Buffer.from(await chain.wrap(Buffer.from(body))));
      expect([...event.headers.keys()]).toEqual([":date", ":chunk-signature"]);
      expect(event.payload.toString()).toBe(body);
      expect(() => checked.verify(event)).not.toThrow();
    }
  });

  it("breaks the chain when an event is dropped", async () => {
    const signer = await RequestSigner.create({
      region: "us-east-1",
      credentials: CREDENTIALS,
      now: () => now,
    });
    const headers = await signer.signRequest({ url: URL_OF_CALL, headers: {} });
    const signature = check(headers, () => now.getTime());
    signature.verify();
    const chain = signer.eventChain(headers);
    await chain.wrap(Buffer.from("dropped"));
    const second = decodeEvent(Buffer.from(await chain.wrap(Buffer.from("kept"))));
    expect(() => signature.events().verify(second)).toThrow();
  });

  it("resolves the credentials once for all it signs", async () => {
    let calls = 0;
    const credentials = async () => {
      calls++;
      return CREDENTIALS;
    };
    const signer = await RequestSigner.create({ region: "us-east-1", credentials });
    const headers = await signer.signRequest({ url: URL_OF_CALL, headers: {} });
    const chain = signer.eventChain(headers);
    await chain.wrap(Buffer.from("one"));
    await chain.wrap(Buffer.from("two"));
    expect(calls).toBe(1);
  });

  it("sends a session token", async () => {
    const credentials = { ...CREDENTIALS, sessionToken: "token" };
    const signer = await RequestSigner.create({ region: "us-east-1", credentials });
    expect(await signer.signRequest({ url: URL_OF_CALL, headers: {} })).toMatchObject({
      "x-amz-security-token": "token",
    });
  });
});
