/**
 * A minimal caller of SageMaker's bidirectional operation for tests of the stand-in. It signs and encodes with
 * Smithy's code, which shares nothing with the stand-in's own; every step can be spoilt on purpose.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import http2 from "node:http2";
import { Sha256 } from "@smithy/core/checksum";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { HttpRequest } from "@smithy/core/protocols";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";

export const CREDENTIALS = { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "local-demo-secret" };
export const secretFor = (accessKeyId: string): string | undefined =>
  accessKeyId === CREDENTIALS.accessKeyId ? CREDENTIALS.secretAccessKey : undefined;

const codec = new EventStreamCodec(toUtf8, fromUtf8);
const text = (value: string) => ({ type: "string" as const, value });

export interface CallOptions {
  readonly url: string;
  readonly endpoint?: string;
  readonly credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  readonly region?: string;
  readonly service?: string;
  readonly signingDate?: Date;
  readonly headers?: Record<string, string>;
  /** The Rust client's habit: no x-amz-content-sha256, signed with the empty body's hash. */
  readonly bare?: boolean;
  readonly session?: http2.ClientHttp2Session;
  readonly tls?: http2.SecureClientSessionOptions;
}

export interface TestPart {
  readonly bytes: Buffer;
  readonly dataType?: string;
  readonly completionState?: string;
}

export type Answer =
  | ({ readonly kind: "part" } & TestPart)
  | {
      readonly kind: "exception" | "error";
      readonly type: string;
      readonly message: string;
      readonly code?: string;
    };

export class BidiTestCall {
  readonly stream: http2.ClientHttp2Stream;
  readonly session: http2.ClientHttp2Session;
  readonly #ownsSession: boolean;
  readonly #signer: SignatureV4;
  #prior: string;

  constructor(
    session: http2.ClientHttp2Session,
    ownsSession: boolean,
    stream: http2.ClientHttp2Stream,
    signer: SignatureV4,
    prior: string,
  ) {
    this.session = session;
    this.#ownsSession = ownsSession;
    this.stream = stream;
    this.#signer = signer;
    this.#prior = prior;
    stream.on("error", () => {});
    stream.on("close", () => ownsSession && session.destroy());
  }

  static async open(options: CallOptions): Promise<BidiTestCall> {
    const url = new URL(options.url);
    const signer = new SignatureV4({
      service: options.service ?? "sagemaker",
      region: options.region ?? "us-east-1",
      credentials: options.credentials ?? CREDENTIALS,
      sha256: Sha256,
      applyChecksum: !options.bare,
    });
    const request = await signer.sign(
      new HttpRequest({
        method: "POST",
        protocol: url.protocol,
        hostname: url.hostname,
        path: `/endpoints/${encodeURIComponent(options.endpoint ?? "speech")}/invocations-bidirectional-stream`,
        headers: {
          host: url.host,
          "content-type": "application/vnd.amazon.eventstream",
          ...(!options.bare && { "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-EVENTS" }),
          ...options.headers,
        },
      }),
      options.signingDate ? { signingDate: options.signingDate } : {},
    );
    const prior = /Signature=([0-9a-f]{64})$/.exec(request.headers.authorization!)![1]!;
    const session = options.session ?? http2.connect(url, options.tls);
    session.on("error", () => {});
    const { host, ...headers } = request.headers;
    const stream = session.request(
      { ":method": "POST", ":path": request.path, ":authority": host, ...headers },
      { endStream: false },
    );
    return new BidiTestCall(session, options.session === undefined, stream, signer, prior);
  }

  /** Status, headers and, of a refusal, the body. */
  async head(): Promise<{
    status: number;
    headers: http2.IncomingHttpHeaders;
    body: Record<string, unknown>;
  }> {
    const [headers] = (await once(this.stream, "response")) as [http2.IncomingHttpHeaders];
    const status = Number(headers[":status"]);
    let body = "";
    if (status !== 200) for await (const chunk of this.stream) body += chunk;
    return { status, headers, body: body === "" ? {} : JSON.parse(body) };
  }

  async signed(inner: Uint8Array, at = new Date()): Promise<Buffer> {
    const date = { ":date": { type: "timestamp" as const, value: at } };
    const { signature } = await this.#signer.sign(
      { message: { headers: date, body: inner }, priorSignature: this.#prior },
      { signingDate: at },
    );
    this.#prior = signature;
    const headers = {
      ...date,
      ":chunk-signature": { type: "binary" as const, value: Buffer.from(signature, "hex") },
    };
    return Buffer.from(codec.encode({ headers, body: inner }));
  }

  static part(bytes: string | Uint8Array, dataType?: string, completionState?: string): Uint8Array {
    return codec.encode({
      headers: {
        ":message-type": text("event"),
        ":event-type": text("PayloadPart"),
        ":content-type": text("application/octet-stream"),
        ...(dataType !== undefined && { DataType: text(dataType) }),
        ...(completionState !== undefined && { CompletionState: text(completionState) }),
      },
      body: Buffer.from(bytes as string),
    });
  }

  /** @returns false when the stream's window is full. */
  async send(bytes: string | Uint8Array, dataType?: string, completionState?: string): Promise<boolean> {
    return this.raw(await this.signed(BidiTestCall.part(bytes, dataType, completionState)));
  }

  raw(bytes: Uint8Array): boolean {
    return this.stream.write(bytes);
  }

  /** Half-close: the empty signed event, then END_STREAM. */
  async end(): Promise<void> {
    this.stream.end(await this.signed(new Uint8Array()));
  }

  abort(): void {
    this.stream.close(http2.constants.NGHTTP2_CANCEL);
  }

  async *answers(): AsyncGenerator<Answer> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of this.stream) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      while (rest.length >= 4 && rest.length >= rest.readUInt32BE()) {
        const length = rest.readUInt32BE();
        const { headers, body } = codec.decode(rest.subarray(0, length));
        rest = rest.subarray(length);
        const header = (name: string) => headers[name]?.value as string | undefined;
        const kind = header(":message-type");
        if (kind === "event") {
          const dataType = header("DataType");
          const completionState = header("CompletionState");
          yield {
            kind: "part",
            bytes: Buffer.from(body),
            ...(dataType !== undefined && { dataType }),
            ...(completionState !== undefined && { completionState }),
          };
        } else if (kind === "exception") {
          const fault = JSON.parse(toUtf8(body));
          yield { kind, type: header(":exception-type")!, message: fault.Message, code: fault.ErrorCode };
        } else yield { kind: "error", type: header(":error-code")!, message: header(":error-message")! };
      }
    }
    if (rest.length > 0) throw new Error("truncated");
  }

  async all(): Promise<Answer[]> {
    const answers: Answer[] = [];
    for await (const answer of this.answers()) answers.push(answer);
    return answers;
  }

  close(): void {
    if (this.#ownsSession) this.session.destroy();
    else this.stream.destroy();
  }
}

export const randomPart = (bytes: number): Buffer => randomBytes(bytes);
