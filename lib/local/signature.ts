/**
 * Checks AWS Signature Version 4 of a request and of every event after it, on node:crypto alone, so that a fault
 * in the clients' signing code cannot hide here. Refusals carry the types and words the real services use.
 *
 * Sources: AWS General Reference "Create a signed AWS API request"; for events smithy.io "Amazon Event Stream
 * Specification" and Amazon Transcribe's "Event stream encoding" (the algorithm is the same for all services).
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { AwsFault } from "./aws-fault.ts";
import { type EventMessage, encodeHeaders } from "./event-stream.ts";

export type SecretFor = (accessKeyId: string) => string | undefined;

export interface SignatureScope {
  readonly service: string;
  /** Undefined takes any region. */
  readonly region?: string;
  readonly secretFor: SecretFor;
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: () => number;
}

/** A request as it stood on the wire. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, undecoded. */
  readonly target: string;
  /** Lower-case name -> value; several values joined by `,`. `host` falls back to `:authority` of HTTP/2. */
  readonly header: (name: string) => string | undefined;
}

/** Signatures older or newer than this are refused. */
export const CLOCK_SKEW_MAX_MS = 5 * 60_000;

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^/, ]+)\/(\d{8})\/([^/, ]+)\/([^/, ]+)\/aws4_request, *SignedHeaders=([^, ]+), *Signature=([0-9a-f]{64})$/;

export const sha256Hex = (bytes: string | Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const compactDate = (date: Date): string => date.toISOString().replace(/[-:]|\.\d{3}/g, "");
const uriEncode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const equalHex = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));

const MISMATCH =
  "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access " +
  "Key and signing method. Consult the service documentation for details.";
const refuse = (errorType: string, message: string) => new AwsFault(403, errorType, message);

/** The signature a request came with, its key, scope and date already checked (they need no body). */
export class RequestSignature {
  readonly #request: SignedRequest;
  readonly #scope: SignatureScope;
  readonly #key: SigningKey;
  readonly #signedHeaders: readonly string[];
  readonly #signature: string;
  readonly #date: string;

  /** @throws {AwsFault} 403 when the header is absent or malformed, the key unknown, the scope or date wrong. */
  constructor(request: SignedRequest, scope: SignatureScope) {
    const authorization = request.header("authorization");
    if (!authorization) throw refuse("MissingAuthenticationTokenException", "Missing Authentication Token");
    const match = AUTHORIZATION.exec(authorization);
    if (!match) {
      throw refuse(
        "IncompleteSignatureException",
        "Authorization header requires 'Credential', 'SignedHeaders' and 'Signature' parameters of AWS4-HMAC-SHA256.",
      );
    }
    const [, accessKeyId, day, region, service, signedHeaders, signature] = match as unknown as string[];
    const secret = scope.secretFor(accessKeyId!);
    if (secret === undefined) {
      throw refuse("UnrecognizedClientException", "The security token included in the request is invalid.");
    }
    this.#request = request;
    this.#scope = scope;
    this.#signedHeaders = signedHeaders!.split(";");
    this.#signature = signature!;
    this.#date = request.header("x-amz-date") ?? "";
    this.#key = new SigningKey(secret, region!, service!);
    checkScope(scope, service!, region!);
    checkDate(this.#date, day!, scope.nowMs());
    if (!this.#signedHeaders.includes("host")) {
      throw refuse(
        "InvalidSignatureException",
        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.",
      );
    }
  }

  /**
   * @param payloadHash of a body that was read whole; for a body of signed events leave it out: then the header
   *   `x-amz-content-sha256` stands in, and the empty body's hash where a client sends none (the Rust client).
   * @throws {AwsFault} 403 InvalidSignatureException
   */
  verify(payloadHash?: string): void {
    const stated = this.#request.header("x-amz-content-sha256");
    const hash = stated ?? payloadHash ?? sha256Hex("");
    if (payloadHash !== undefined && hash !== payloadHash && hash !== "UNSIGNED-PAYLOAD") {
      throw refuse("InvalidSignatureException", "The payload does not match its x-amz-content-sha256.");
    }
    const text = [
      "AWS4-HMAC-SHA256",
      this.#date,
      this.#key.scopeOf(this.#date),
      sha256Hex(this.#canonical(hash)),
    ];
    if (!equalHex(this.#key.sign(this.#date, text), this.#signature)) {
      throw refuse("InvalidSignatureException", MISMATCH);
    }
  }

  /** The chain of this request's events; call after `verify`. */
  events(): EventSignatureChain {
    return new EventSignatureChain(this.#key, this.#signature, this.#scope.nowMs);
  }

  #canonical(payloadHash: string): string {
    const [path = "", query = ""] = this.#request.target.split(/\?(.*)/s);
    const value = (name: string) => (this.#request.header(name) ?? "").trim().replace(/ +/g, " ");
    return [
      this.#request.method,
      path.split("/").map(uriEncode).join("/"), // the path as on the wire, encoded once more (all services but S3)
      canonicalQuery(query),
      ...this.#signedHeaders.map((name) => `${name}:${value(name)}`),
      "",
      this.#signedHeaders.join(";"),
      payloadHash,
    ].join("\n");
  }
}

/** Each event signs its own date and bytes and the signature before it, so none can be dropped or swapped. */
export class EventSignatureChain {
  readonly #key: SigningKey;
  readonly #nowMs: () => number;
  #prior: string;

  constructor(key: SigningKey, prior: string, nowMs: () => number) {
    this.#key = key;
    this.#prior = prior;
    this.#nowMs = nowMs;
  }

  /** Checks one outer event and moves the chain on. @throws {AwsFault} 403 InvalidSignatureException */
  verify(event: EventMessage): void {
    const date = event.headers.get(":date");
    const signature = event.headers.get(":chunk-signature");
    if (!(date instanceof Date) || !Buffer.isBuffer(signature) || Number.isNaN(date.getTime())) {
      throw refuse("InvalidSignatureException", "An event carries no :date and :chunk-signature.");
    }
    const long = compactDate(date);
    checkDate(long, long.slice(0, 8), this.#nowMs());
    const text = [
      "AWS4-HMAC-SHA256-PAYLOAD",
      long,
      this.#key.scopeOf(long), // the event's own day: a stream may cross midnight
      this.#prior,
      sha256Hex(encodeHeaders({ ":date": date })),
      sha256Hex(event.payload),
    ];
    this.#prior = this.#key.sign(long, text);
    if (this.#prior !== signature.toString("hex")) throw refuse("InvalidSignatureException", MISMATCH);
  }
}

/** Secret, region and service; the key derived for a day is kept, as events come many to the day. */
class SigningKey {
  readonly #secret: string;
  readonly #region: string;
  readonly #service: string;
  #day = "";
  #derived: Buffer = Buffer.alloc(0);

  constructor(secret: string, region: string, service: string) {
    this.#secret = secret;
    this.#region = region;
    this.#service = service;
  }

  scopeOf(date: string): string {
    return `${date.slice(0, 8)}/${this.#region}/${this.#service}/aws4_request`;
  }

  sign(date: string, lines: readonly string[]): string {
    const day = date.slice(0, 8);
    if (day !== this.#day) {
      this.#day = day;
      const regional = hmac(hmac(`AWS4${this.#secret}`, day), this.#region);
      this.#derived = hmac(hmac(regional, this.#service), "aws4_request");
    }
    return hmac(this.#derived, lines.join("\n")).toString("hex");
  }
}

function checkScope(scope: SignatureScope, service: string, region: string): void {
  if (service !== scope.service) {
    throw refuse(
      "InvalidSignatureException",
      `Credential should be scoped to correct service: '${scope.service}'. `,
    );
  }
  if (scope.region !== undefined && region !== scope.region) {
    throw refuse("InvalidSignatureException", "Credential should be scoped to a valid region. ");
  }
}

function checkDate(date: string, day: string, nowMs: number): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date);
  if (!parts) {
    throw refuse(
      "IncompleteSignatureException",
      "Date must be in ISO-8601 'basic format'. See http://en.wikipedia.org/wiki/ISO_8601.",
    );
  }
  if (!date.startsWith(day)) {
    throw refuse(
      "InvalidSignatureException",
      `Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '${day}' != '${date.slice(0, 8)}'.`,
    );
  }
  const [, y, mo, d, h, mi, s] = parts.map(Number) as number[];
  const signedAtMs = Date.UTC(y!, mo! - 1, d!, h!, mi!, s!);
  const now = compactDate(new Date(nowMs));
  const minutes = CLOCK_SKEW_MAX_MS / 60_000;
  if (signedAtMs < nowMs - CLOCK_SKEW_MAX_MS) {
    const limit = compactDate(new Date(nowMs - CLOCK_SKEW_MAX_MS));
    throw refuse(
      "InvalidSignatureException",
      `Signature expired: ${date} is now earlier than ${limit} (${now} - ${minutes} min.)`,
    );
  }
  if (signedAtMs > nowMs + CLOCK_SKEW_MAX_MS) {
    const limit = compactDate(new Date(nowMs + CLOCK_SKEW_MAX_MS));
    throw refuse(
      "InvalidSignatureException",
      `Signature not yet current: ${date} is still later than ${limit} (${now} + ${minutes} min.)`,
    );
  }
}

function canonicalQuery(query: string): string {
  if (query === "") return "";
  const pairs = query.split("&").map((pair) => {
    const [name = "", value = ""] = pair.split(/=(.*)/s).map(decodeLeniently);
    return [uriEncode(name), uriEncode(value)] as const;
  });
  pairs.sort(([nameA, valueA], [nameB, valueB]) =>
    nameA !== nameB ? (nameA < nameB ? -1 : 1) : valueA < valueB ? -1 : valueA > valueB ? 1 : 0,
  );
  return pairs.map((pair) => pair.join("=")).join("&");
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoding: it cannot have been signed as such either, so the signature decides
  }
}
