/** `/invocations` and `/invocations-response-stream` of the SageMaker stand-in, signed by Smithy's signer. */
import http from "node:http";
import http2 from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { Sha256 } from "@smithy/core/checksum";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { HttpRequest } from "@smithy/core/protocols";
import { fromUtf8, toUtf8 } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type SageMakerFrontDoorOptions,
  startSageMakerFrontDoor,
} from "../../lib/local/sagemaker-front-door.ts";
import { CREDENTIALS, secretFor } from "../helpers/bidi-test-client.ts";
import { type EchoOptions, startEchoContainer } from "../helpers/echo-container.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  while (open.length > 0) await open.pop()!.close();
});

async function system(echo: EchoOptions = {}, door: Partial<SageMakerFrontDoorOptions> = {}) {
  const container = await startEchoContainer(echo);
  const frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: container.url, gone: "http://127.0.0.1:1" },
    secretFor,
    ...door,
  });
  open.push(container, frontDoor);
  return { container, frontDoor };
}

interface Sent {
  endpoint?: string;
  operation?: string;
  body?: string;
  sentBody?: string;
  headers?: Record<string, string>;
  secret?: string;
  checksum?: boolean;
}

async function signed(url: string, sent: Sent) {
  const { host, hostname } = new URL(url);
  const signer = new SignatureV4({
    service: "sagemaker",
    region: "us-east-1",
    credentials: { ...CREDENTIALS, ...(sent.secret && { secretAccessKey: sent.secret }) },
    sha256: Sha256,
    applyChecksum: sent.checksum ?? true,
  });
  const path = `/endpoints/${sent.endpoint ?? "speech"}/${sent.operation ?? "invocations"}`;
  const headers = { host, "content-type": "application/json", ...sent.headers };
  const request = new HttpRequest({
    method: "POST",
    protocol: "http:",
    hostname,
    path,
    headers,
    body: sent.body ?? "{}",
  });
  return { path, headers: (await signer.sign(request)).headers };
}

async function post(url: string, sent: Sent = {}, signal?: AbortSignal) {
  const { path, headers } = await signed(url, sent);
  return fetch(url + path, {
    method: "POST",
    headers,
    body: sent.sentBody ?? sent.body ?? "{}",
    ...(signal && { signal }),
  });
}

const codec = new EventStreamCodec(toUtf8, fromUtf8);
function readEvents(bytes: Buffer) {
  const events: { kind: unknown; type: unknown; body: string }[] = [];
  for (let rest = bytes; rest.length > 0; rest = rest.subarray(rest.readUInt32BE())) {
    const { headers, body } = codec.decode(rest.subarray(0, rest.readUInt32BE()));
    const type = (headers[":event-type"] ?? headers[":exception-type"])!.value;
    events.push({ kind: headers[":message-type"]!.value, type, body: toUtf8(body) });
  }
  return events;
}

describe("/invocations", () => {
  test("body, content type and custom attributes cross; other headers of the container stay inside", async () => {
    const { frontDoor, container } = await system();
    const response = await post(frontDoor.url, {
      body: '{"text":"hi"}',
      headers: { accept: "text/plain", "x-amzn-sagemaker-custom-attributes": "trace=1", "x-other": "no" },
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('echo:{"text":"hi"}');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain",
      "x-amzn-invoked-production-variant": "AllTraffic",
      "x-amzn-sagemaker-custom-attributes": "echo=1",
      "x-amzn-requestid": expect.any(String),
    });
    expect(response.headers.get("x-private")).toBeNull();
    expect(container.requests[0]).toMatchObject({
      target: "/invocations",
      headers: {
        "content-type": "application/json",
        accept: "text/plain",
        "x-amzn-sagemaker-custom-attributes": "trace=1",
      },
    });
    expect(container.requests[0]!.headers["x-other"]).toBeUndefined();
  });

  test("works over HTTP/2 on the same port, and for a caller that sends no x-amz-content-sha256", async () => {
    const { frontDoor } = await system();
    const { path, headers } = await signed(frontDoor.url, { body: "two", checksum: false });
    const session = http2.connect(frontDoor.url);
    open.push(session);
    const { host, ...rest } = headers;
    const stream = session.request({ ":method": "POST", ":path": path, ":authority": host, ...rest });
    stream.end("two");
    let text = "";
    for await (const chunk of stream) text += chunk;
    expect(text).toBe("echo:two");
  });

  test.each<[string, Sent, number, string]>([
    ["unknown endpoint", { endpoint: "nobody" }, 400, "ValidationError"],
    ["wrong secret", { secret: "x" }, 403, "InvalidSignatureException"],
    [
      "another body than the one signed",
      { body: "mine", sentBody: "your" },
      403,
      "InvalidSignatureException",
    ],
    ["the container is down", { endpoint: "gone" }, 503, "ServiceUnavailable"],
  ])("fails: %s", async (_name, sent, status, errorType) => {
    const { frontDoor, container } = await system();
    const response = await post(frontDoor.url, sent);
    expect([response.status, response.headers.get("x-amzn-errortype")]).toEqual([status, errorType]);
    expect(container.requests).toHaveLength(0);
  });

  test("fails with 413 for a body over the limit, before reading it", async () => {
    const { frontDoor, container } = await system({}, { limits: { requestMaxBytes: 1000 } });
    const response = await post(frontDoor.url, { body: "x".repeat(1001) });
    expect(response.status).toBe(413);
    expect(container.requests).toHaveLength(0);
  });

  test("fails with ModelError and the container's own status and body", async () => {
    const { frontDoor } = await system({
      onInvocation: (_request, _body, response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end('{"error":{"code":"UNKNOWN_VOICE"}}');
      },
    });
    const response = await post(frontDoor.url);
    expect(response.status).toBe(424);
    expect(response.headers.get("x-amzn-errortype")).toBe("ModelError");
    expect(await response.json()).toMatchObject({
      OriginalStatusCode: 400,
      OriginalMessage: '{"error":{"code":"UNKNOWN_VOICE"}}',
      Message: expect.stringMatching(/^Received client error \(400\) from primary with message /),
    });
  });

  test("fails with the service's words when the container takes too long", async () => {
    const { frontDoor } = await system({ onInvocation: () => {} }, { limits: { responseTimeoutMs: 80 } });
    const response = await post(frontDoor.url);
    expect(response.status).toBe(424);
    expect(await response.json()).toMatchObject({
      OriginalStatusCode: 0,
      Message: expect.stringMatching(/Received server error \(0\) from primary.*timed out/),
    });
  });

  test("a container that breaks off mid-answer breaks the caller's answer too", async () => {
    const { frontDoor } = await system({
      onInvocation: (_request, _body, response) => {
        response.writeHead(200, { "content-length": "100" });
        response.write("half");
        setTimeout(() => response.destroy(), 30);
      },
    });
    const response = await post(frontDoor.url);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test("a caller that leaves ends the container's request", async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>();
    const { promise: came, resolve: arrive } = Promise.withResolvers<void>();
    const { frontDoor } = await system({
      onInvocation: (_request, _body, response) => {
        arrive();
        response.on("close", () => resolve());
      },
    });
    const stop = new AbortController();
    const response = post(frontDoor.url, {}, stop.signal).catch(() => {});
    await came;
    stop.abort();
    await left;
    await response;
  });

  test("a caller that does not read holds the container back", async () => {
    let written = 0;
    const { frontDoor } = await system({
      onInvocation: (_request, _body, response) => {
        response.writeHead(200);
        const more = () => {
          if (written++ < 1000) response.write(Buffer.alloc(64 * 1024), more);
        };
        more();
      },
    });
    const { path, headers } = await signed(frontDoor.url, {});
    const request = http.request(frontDoor.url + path, { method: "POST", headers });
    open.push({ close: () => request.destroy() });
    request.on("error", () => {});
    request.on("response", (response) => response.pause());
    request.end("{}");
    await vi.waitFor(() => expect(written).toBeGreaterThan(1));
    await delay(300);
    const held = written;
    expect(held).toBeLessThan(500);
    await delay(200);
    expect(written).toBe(held);
  });
});

describe("/invocations-response-stream", () => {
  const operation = "invocations-response-stream";

  test("the answer comes as parts while the container still writes", async () => {
    const { frontDoor } = await system({
      onInvocation: async (_request, _body, response) => {
        response.writeHead(200, { "content-type": "audio/pcm" });
        for (const piece of ["one", "two"]) {
          response.write(piece);
          await delay(60);
        }
        response.end();
      },
    });
    const response = await post(frontDoor.url, { operation });
    expect(response.headers.get("content-type")).toBe("application/vnd.amazon.eventstream");
    expect(response.headers.get("x-amzn-sagemaker-content-type")).toBe("audio/pcm");
    const events = readEvents(Buffer.from(await response.arrayBuffer()));
    expect(events).toEqual(["one", "two"].map((body) => ({ kind: "event", type: "PayloadPart", body })));
  });

  test.each<[string, Partial<SageMakerFrontDoorOptions>, boolean, string]>([
    ["breaks off", {}, true, "StreamBroken"],
    ["does not finish in time", { limits: { streamTimeoutMs: 100 } }, false, "ModelInvocationTimeExceeded"],
  ])("fails with ModelStreamError when the container %s", async (_name, door, breaks, code) => {
    const { frontDoor } = await system(
      {
        onInvocation: (_request, _body, response) => {
          response.writeHead(200);
          response.write("one");
          if (breaks) setTimeout(() => response.destroy(), 30);
        },
      },
      door,
    );
    const response = await post(frontDoor.url, { operation });
    const events = readEvents(Buffer.from(await response.arrayBuffer()));
    expect(events[0]).toMatchObject({ type: "PayloadPart", body: "one" });
    expect(events[1]).toMatchObject({ kind: "exception", type: "ModelStreamError" });
    expect(JSON.parse(events[1]!.body)).toMatchObject({ ErrorCode: code });
  });
});
