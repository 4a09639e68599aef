/**
 * Signature Version 4 for one call: the request, and every event of its body. Each event's signature covers the
 * signature before it, back to the request's, so one set of credentials must serve the whole stream: it is taken
 * once, when the signer is made. (AWS General Reference, "Signature Version 4"; the event form is that of
 * `application/vnd.amazon.eventstream` bodies, STREAMING-AWS4-HMAC-SHA256-EVENTS.)
 */
import { Sha256 } from "@smithy/core/checksum";
import { HttpRequest } from "@smithy/core/protocols";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsCredentialIdentity, AwsCredentialIdentityProvider } from "@smithy/types";
import { SpeechError } from "../../errors.ts";
import { type EventBody, encodeSignedEvent } from "./event-stream.ts";

/** SigV4 name of SageMaker and of SageMaker Runtime. */
const SERVICE = "sagemaker";
/** Says that the body is a stream of signed events; only the request's head is hashed. */
const STREAMING_EVENTS = "STREAMING-AWS4-HMAC-SHA256-EVENTS";

export interface SignerOptions {
  readonly region: string;
  readonly credentials: AwsCredentialIdentity | AwsCredentialIdentityProvider;
  /** Wall clock. @default the system's */
  readonly now?: () => Date;
}

export interface RequestToSign {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The body to be hashed; absent for a stream of signed events. */
  readonly body?: Uint8Array;
}

export class RequestSigner {
  readonly #signer: SignatureV4;
  readonly #now: () => Date;

  private constructor(signer: SignatureV4, now: () => Date) {
    this.#signer = signer;
    this.#now = now;
  }

  /** Resolves the credentials once; all that this signer signs uses them. */
  static async create(options: SignerOptions): Promise<RequestSigner> {
    const credentials =
      typeof options.credentials === "function" ? await options.credentials() : options.credentials;
    const signer = new SignatureV4({ service: SERVICE, region: options.region, credentials, sha256: Sha256 });
    return new RequestSigner(signer, options.now ?? (() => new Date()));
  }

  /** Headers of a signed POST, `host` among them. */
  async signRequest(request: RequestToSign): Promise<Record<string, string>> {
    const { url } = request;
    const signed = await this.#signer.sign(
      new HttpRequest({
        method: "POST",
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        headers: {
          host: url.host,
          ...request.headers,
          ...(request.body === undefined && { "x-amz-content-sha256": STREAMING_EVENTS }),
        },
        ...(request.body !== undefined && { body: request.body }),
      }),
      { signingDate: this.#now() },
    );
    return signed.headers;
  }

  /** The chain of event signatures that begins at a request signed by this signer. */
  eventChain(signedHeaders: Readonly<Record<string, string>>): EventSigner {
    const signature = /Signature=([0-9a-f]{64})$/.exec(signedHeaders.authorization ?? "")?.[1];
    if (signature === undefined) throw new SpeechError("INTERNAL", "the request was not signed");
    return new EventSigner(this.#signer, this.#now, signature);
  }
}

/** Wraps events in signed outer frames. Calls must not overlap: each signature needs the one before it. */
export class EventSigner {
  readonly #signer: SignatureV4;
  readonly #now: () => Date;
  #prior: string;

  constructor(signer: SignatureV4, now: () => Date, requestSignature: string) {
    this.#signer = signer;
    this.#now = now;
    this.#prior = requestSignature;
  }

  /** @param body one encoded event, or nothing for the frame that ends the input. */
  async wrap(body: EventBody): Promise<Uint8Array> {
    const date = this.#now();
    const headers = { ":date": { type: "timestamp", value: date } } as const;
    const { signature } = await this.#signer.sign(
      { message: { headers, body }, priorSignature: this.#prior },
      { signingDate: date },
    );
    this.#prior = signature;
    return encodeSignedEvent(date, signature, body);
  }
}
