import { createHash } from "node:crypto";
import { Sha256 } from "@smithy/core/checksum";
import { HttpRequest } from "@smithy/core/protocols";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, test } from "vitest";
import { type EventMessage, encodeEvent } from "../../../lib/local/event-stream.ts";
import { CLOCK_SKEW_MAX_MS, RequestSignature } from "../../../lib/local/signature.ts";

const CREDENTIALS = { accessKeyId: "AKIDTEST", secretAccessKey: "secret-of-the-test" };
const SIGNED_AT = new Date("2026-03-04T23:59:30Z");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

interface Case {
  service?: string;
  region?: string;
  path?: string;
  query?: Record<string, string | string[]>;
  body?: string;
  secret?: string;
  headers?: Record<string, string>;
  applyChecksum?: boolean;
  nowMs?: number;
  spoil?: (headers: Record<string, string>) => void;
}

async function sign(given: Case) {
  const signer = new SignatureV4({
    service: given.service ?? "sagemaker",
    region: given.region ?? "us-east-1",
    credentials: { ...CREDENTIALS, ...(given.secret && { secretAccessKey: given.secret }) },
    sha256: Sha256,
    applyChecksum: given.applyChecksum ?? true,
  });
  const path = given.path ?? "/endpoints/speech/invocations";
  const signed = await signer.sign(
    new HttpRequest({
      method: "POST",
      protocol: "http:",
      hostname: "localhost",
      path,
      query: given.query ?? {},
      headers: { host: "localhost:9001", "content-type": "application/json", ...given.headers },
      body: given.body ?? "",
    }),
    { signingDate: SIGNED_AT },
  );
  given.spoil?.(signed.headers);
  const query = Object.entries(given.query ?? {})
    .flatMap(([name, value]) =>
      [value].flat().map((v) => `${encodeURIComponent(name)}=${encodeURIComponent(v)}`),
    )
    .join("&");
  const check = () => {
    const signature = new RequestSignature(
      { method: "POST", target: query ? `${path}?${query}` : path, header: (name) => signed.headers[name] },
      {
        service: "sagemaker",
        region: "us-east-1",
        secretFor: (id) => (id === CREDENTIALS.accessKeyId ? CREDENTIALS.secretAccessKey : undefined),
        nowMs: () => given.nowMs ?? SIGNED_AT.getTime(),
      },
    );
    signature.verify(sha256(given.body ?? ""));
    return signature;
  };
  return { signer, check, headers: signed.headers };
}

describe("a request signed by Smithy's signer passes", () => {
  test.each<[string, Case]>([
    ["plain", { body: '{"text":"hi"}' }],
    ["without x-amz-content-sha256", { body: "x", applyChecksum: false }],
    [
      "with an encoded path",
      { path: "/runtimes/arn%3Aaws%3Abedrock-agentcore%3Aus-east-1%3A1%3Aruntime%2Fa~b/x" },
    ],
    ["with a query in any order", { query: { qualifier: "DEFAULT", a: "1 2", A: "é*'" } }],
    ["with blanks in a header", { headers: { "x-amz-meta-note": "  a   b " } }],
    ["at the edge of the clock's tolerance", { nowMs: SIGNED_AT.getTime() + CLOCK_SKEW_MAX_MS }],
  ])("%s", async (_name, given) => {
    const { check } = await sign(given);
    expect(check).not.toThrow();
  });
});

describe("a request is refused as AWS refuses it", () => {
  test.each<[string, Case, string, RegExp]>([
    [
      "wrong secret",
      { secret: "other" },
      "InvalidSignatureException",
      /does not match the signature you provided/,
    ],
    ["wrong service", { service: "bedrock" }, "InvalidSignatureException", /correct service: 'sagemaker'/],
    ["wrong region", { region: "eu-west-1" }, "InvalidSignatureException", /scoped to a valid region/],
    [
      "too old",
      { nowMs: SIGNED_AT.getTime() + CLOCK_SKEW_MAX_MS + 1000 },
      "InvalidSignatureException",
      /Signature expired: 20260304T235930Z is now earlier than 20260304T235931Z \(20260305T000431Z - 5 min\.\)/,
    ],
    [
      "from the future",
      { nowMs: SIGNED_AT.getTime() - CLOCK_SKEW_MAX_MS - 1000 },
      "InvalidSignatureException",
      /Signature not yet current/,
    ],
    [
      "unknown key",
      { spoil: (h) => (h.authorization = h.authorization!.replace("AKIDTEST", "AKIDOTHER")) },
      "UnrecognizedClientException",
      /security token/,
    ],
    [
      "no authorization",
      { spoil: (h) => delete h.authorization },
      "MissingAuthenticationTokenException",
      /Missing/,
    ],
    [
      "half an authorization",
      { spoil: (h) => (h.authorization = h.authorization!.replace(/, Signature.*/, "")) },
      "IncompleteSignatureException",
      /Authorization header requires/,
    ],
    ["no date", { spoil: (h) => delete h["x-amz-date"] }, "IncompleteSignatureException", /ISO-8601/],
    [
      "a header changed",
      { spoil: (h) => (h["content-type"] = "text/plain") },
      "InvalidSignatureException",
      /match/,
    ],
    [
      "host unsigned",
      { spoil: (h) => (h.authorization = h.authorization!.replace("host;", "")) },
      "InvalidSignatureException",
      /'Host' or ':authority'/,
    ],
  ])("fails: %s", async (_name, given, errorType, message) => {
    const { check } = await sign(given);
    expect(check).toThrow(
      expect.objectContaining({ status: 403, errorType, message: expect.stringMatching(message) }),
    );
  });

  test("fails: another body than the one signed", async () => {
    const { headers } = await sign({ body: "mine" });
    const signature = new RequestSignature(
      { method: "POST", target: "/endpoints/speech/invocations", header: (name) => headers[name] },
      {
        service: "sagemaker",
        secretFor: () => CREDENTIALS.secretAccessKey,
        nowMs: () => SIGNED_AT.getTime(),
      },
    );
    expect(() => signature.verify(sha256("yours"))).toThrow(/payload does not match/);
  });
});

describe("events after it", () => {
  async function chain(count: number, dateOf: (i: number) => Date) {
    const { signer, check, headers } = await sign({});
    let prior = /Signature=([0-9a-f]{64})$/.exec(headers.authorization!)![1]!;
    const events: EventMessage[] = [];
    for (let i = 0; i < count; i++) {
      const at = dateOf(i);
      const body = encodeEvent({}, Buffer.from(`event ${i}`));
      const date = { ":date": { type: "timestamp" as const, value: at } };
      const signed = await signer.sign(
        { message: { headers: date, body }, priorSignature: prior },
        { signingDate: at },
      );
      prior = signed.signature;
      events.push({
        headers: new Map<string, Date | Buffer>([
          [":date", at],
          [":chunk-signature", Buffer.from(prior, "hex")],
        ]),
        payload: body,
      });
    }
    return { events, verifier: check().events() };
  }
  const later = (i: number) => new Date(SIGNED_AT.getTime() + i * 20_000);

  test("pass in their order, also across midnight", async () => {
    const { events, verifier } = await chain(4, later);
    for (const event of events) expect(() => verifier.verify(event)).not.toThrow();
  });

  test("fail from the one that was dropped, swapped or changed", async () => {
    const { events, verifier } = await chain(3, later);
    verifier.verify(events[0]!);
    expect(() => verifier.verify(events[2]!)).toThrow(/does not match the signature/);

    const changed = await chain(2, later);
    changed.events[0]!.payload[0]! ^= 1;
    expect(() => changed.verifier.verify(changed.events[0]!)).toThrow(/does not match/);
  });

  test("fail without a date or signature, and when the date is far off", async () => {
    const { events, verifier } = await chain(
      1,
      () => new Date(SIGNED_AT.getTime() + CLOCK_SKEW_MAX_MS + 1000),
    );
    expect(() => verifier.verify({ headers: new Map(), payload: Buffer.alloc(0) })).toThrow(/no :date/);
    expect(() => verifier.verify(events[0]!)).toThrow(/not yet current/);
  });
});
