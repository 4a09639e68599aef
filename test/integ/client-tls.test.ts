/** TLS: trusted, not trusted, and a server that refuses HTTP/2. Needs openssl for a certificate of its own. */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { afterAll, describe, expect, it, vi } from "vitest";
import { BidiStream } from "../../lib/client/sagemaker/bidi-stream.ts";
import { resolveSpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import { WebSocketConnection } from "../../lib/client/websocket-connection.ts";
import { open, partEvent, startFakeSageMaker } from "../helpers/fake-sagemaker.ts";

vi.setConfig({ testTimeout: 10_000 });

const CREDENTIALS = { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "local-demo-secret" };
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

describe.skipIf(!hasOpenssl)("a connection over TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "client-tls-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const certificate = () => {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...subject], {
      stdio: "ignore",
    });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  };
  const files = hasOpenssl ? certificate() : { key: "", cert: "" };

  const call = (url: string, ca?: string) =>
    new BidiStream({
      endpoint: resolveSpeechEndpoint({ endpointName: "speech", region: "us-east-1", overrideUrl: url }),
      credentials: CREDENTIALS,
      ...(ca !== undefined && { tls: { ca } }),
    });

  async function drain(
    stream: AsyncIterable<{ bytes: Uint8Array }>,
  ): Promise<{ count: number; thrown: unknown }> {
    let count = 0;
    try {
      for await (const _part of stream) count++;
      return { count, thrown: undefined };
    } catch (thrown) {
      return { count, thrown };
    }
  }

  it("works with a certificate that is trusted, and fails with the way out when it is not", async () => {
    await using server = await startFakeSageMaker((stream) => {
      stream.resume();
      open(stream);
      stream.end(partEvent("hello"));
    }, files);
    expect(await drain(call(server.url, files.cert))).toEqual({ count: 1, thrown: undefined });
    const wrong = {
      code: "CONFIGURATION",
      retryable: false,
      message: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    };
    expect((await drain(call(server.url))).thrown).toMatchObject(wrong);
    const socket = new WebSocketConnection({ url: new URL(server.url) });
    await expect(socket.opened).rejects.toMatchObject(wrong);
  });

  it("fails on a server that does not offer HTTP/2", async () => {
    const server = tls.createServer({ ...files, ALPNProtocols: ["http/1.1"] }, (socket) =>
      socket.on("error", () => {}),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { thrown } = await drain(
        call(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, files.cert),
      );
      expect(thrown).toMatchObject({ name: "SpeechError" });
    } finally {
      server.close();
    }
  });

  it("fails when TLS is asked of a server without it, and the reverse", async () => {
    const plain = http2.createServer();
    plain.listen(0, "127.0.0.1");
    await once(plain, "listening");
    const { port } = plain.address() as AddressInfo;
    try {
      expect((await drain(call(`https://127.0.0.1:${port}`))).thrown).toMatchObject({ name: "SpeechError" });
    } finally {
      plain.close();
    }
    await using secure = await startFakeSageMaker(() => {}, files);
    expect((await drain(call(secure.url.replace("https:", "http:")))).thrown).toMatchObject({
      name: "SpeechError",
    });
  });
});
