/** The SageMaker stand-in in front of a small container, called over real sockets by a client that shares no code with it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http2 from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type SageMakerFrontDoorOptions,
  startSageMakerFrontDoor,
} from "../../lib/local/sagemaker-front-door.ts";
import { BidiTestCall, type CallOptions, secretFor } from "../helpers/bidi-test-client.ts";
import { type EchoOptions, startEchoContainer } from "../helpers/echo-container.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  while (open.length > 0) await open.pop()!.close();
});

async function system(echo: EchoOptions = {}, door: Partial<SageMakerFrontDoorOptions> = {}) {
  const container = await startEchoContainer(echo);
  const events: object[] = [];
  const frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: container.url, gone: "http://127.0.0.1:1" },
    secretFor,
    region: "us-east-1",
    onEvent: (event) => events.push(event),
    ...door,
  });
  open.push(container, frontDoor);
  const call = async (options: Partial<CallOptions> = {}) => {
    const made = await BidiTestCall.open({ url: frontDoor.url, ...options });
    open.push(made);
    return made;
  };
  return { container, frontDoor, events, call };
}

const texts = (answers: readonly object[]) =>
  answers.map((answer) => ({ ...answer, ...("bytes" in answer && { bytes: String(answer.bytes) }) }));
const part = (bytes: string, dataType: string, completionState = "COMPLETE") => ({
  kind: "part",
  bytes,
  dataType,
  completionState,
});

describe("parts and frames", () => {
  test("UTF8 becomes text, BINARY and no type become binary; answers carry their kind", async () => {
    const { container, call } = await system();
    const made = await call();
    await made.send("text", "UTF8");
    await made.send("bytes", "BINARY");
    await made.send("{}");
    await made.send('!close [1000,"done"]', "UTF8");
    const head = await made.head();
    expect(head.status).toBe(200);
    expect(head.headers).toMatchObject({
      "content-type": "application/vnd.amazon.eventstream",
      "x-amzn-invoked-production-variant": "AllTraffic",
      "x-amzn-requestid": expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(texts(await made.all())).toEqual([
      part("text", "UTF8"),
      part("bytes", "BINARY"),
      part("{}", "BINARY"),
    ]);
    expect(container.sockets[0]!.messages.map((m) => m.text)).toEqual([true, false, false, true]);
  });

  test("PARTIAL parts are fragments of one message, COMPLETE ends it; a container's fragments come back apart", async () => {
    const { container, call } = await system();
    const made = await call();
    await made.send("one ", "UTF8", "PARTIAL");
    await made.send("mess", "UTF8", "PARTIAL");
    await made.send("age", "UTF8", "COMPLETE");
    await made.send("!fragments text", "UTF8");
    await made.send("!fragments", "UTF8");
    await made.send("!close [1000]", "UTF8");
    expect(texts(await made.all())).toEqual([
      part("one message", "UTF8"),
      part("one,", "UTF8", "PARTIAL"),
      part("two,", "UTF8", "PARTIAL"),
      part("three", "UTF8"),
      part("one,", "BINARY", "PARTIAL"),
      part("two,", "BINARY", "PARTIAL"),
      part("three", "BINARY"),
    ]);
    expect(container.sockets[0]!.messages.map((m) => String(m.data))[0]).toBe("one message");
  });

  test("a caller that signs the empty hash and sends no x-amz-content-sha256 is taken", async () => {
    const { call } = await system();
    const made = await call({ bare: true });
    await made.send("!close [1000]", "UTF8");
    expect((await made.head()).status).toBe(200);
  });

  test("path and query of the upgrade may be chosen by the caller", async () => {
    const { container, call } = await system();
    const made = await call({
      headers: {
        "x-amzn-sagemaker-model-invocation-path": "v1/listen",
        "x-amzn-sagemaker-model-query-string": "a=1&b=two",
      },
    });
    await made.head();
    expect(container.upgradeTargets).toEqual(["/v1/listen?a=1&b=two"]);
  });

  test("after the caller's half-close the answer goes on to its end", async () => {
    const { call } = await system();
    const made = await call();
    await made.send("!late", "UTF8");
    await made.end();
    expect(texts(await made.all())).toEqual([part("late answer", "UTF8")]);
  });

  test("headers can be held back until the first part, as the service may", async () => {
    const { call } = await system({}, { holdResponseHeaders: true });
    const made = await call();
    const head = made.head();
    const early = await Promise.race([
      head.then(() => "early"),
      new Promise((r) => setTimeout(r, 150, "held")),
    ]);
    expect(early).toBe("held");
    await made.send("now", "UTF8");
    expect((await head).status).toBe(200);
  });
});

describe("a call is refused before the response begins", () => {
  test.each<[string, Partial<CallOptions>, number, string, RegExp]>([
    ["unknown endpoint", { endpoint: "nobody" }, 400, "InputValidationError", /Endpoint nobody not found/],
    ["a name of Object.prototype", { endpoint: "constructor" }, 400, "InputValidationError", /not found/],
    [
      "wrong secret",
      { credentials: { accessKeyId: "AKIDLOCALDEMO", secretAccessKey: "x" } },
      403,
      "InvalidSignatureException",
      /does not match/,
    ],
    ["wrong region", { region: "eu-west-1" }, 403, "InvalidSignatureException", /valid region/],
    [
      "wrong service",
      { service: "bedrock" },
      403,
      "InvalidSignatureException",
      /correct service: 'sagemaker'/,
    ],
    [
      "old signature",
      { signingDate: new Date(Date.now() - 6 * 60_000) },
      403,
      "InvalidSignatureException",
      /Signature expired/,
    ],
    ["container down", { endpoint: "gone" }, 503, "ServiceUnavailableError", /cannot be reached/],
    [
      "a path with a query in it",
      { headers: { "x-amzn-sagemaker-model-invocation-path": "/a?b" } },
      400,
      "InputValidationError",
      /invocation path/,
    ],
  ])("fails: %s", async (_name, options, status, errorType, message) => {
    const { call, container } = await system();
    const head = await (await call(options)).head();
    expect(head).toMatchObject({
      status,
      headers: { "x-amzn-errortype": errorType },
      body: { message: expect.stringMatching(message), Message: expect.stringMatching(message) },
    });
    expect(container.sockets).toHaveLength(0);
  });

  test("fails with ModelError when the container takes longer than 250 ms to accept", async () => {
    const { call } = await system({ acceptDelayMs: 400 });
    const began = performance.now();
    const head = await (await call()).head();
    expect(head).toMatchObject({ status: 424, headers: { "x-amzn-errortype": "ModelError" } });
    expect(head.body.Message).toMatch(/within 250 ms/);
    expect(performance.now() - began).toBeLessThan(390);
  });

  test("fails with the container's own status and words when it refuses the upgrade", async () => {
    const { call } = await system({ refuseStatus: 503 });
    const head = await (await call()).head();
    expect(head).toMatchObject({
      status: 424,
      headers: { "x-amzn-errortype": "ModelError" },
      body: { OriginalStatusCode: 503, OriginalMessage: expect.stringContaining("QUEUE_SATURATED") },
    });
  });
});

describe("a stream fails after it began", () => {
  test.each<[string, string, object]>([
    [
      "the container says ModelStreamError",
      "!model-error",
      { type: "ModelStreamError", code: "E1", message: "said so" },
    ],
    [
      "it closes abnormally",
      '!close [1011,"worker crashed"]',
      {
        type: "ModelStreamError",
        code: "1011",
        message: "the container closed the stream with code 1011: worker crashed",
      },
    ],
    ["it dies", "!die", { type: "InternalStreamFailure", message: "the connection to the container broke" }],
    ["it breaks RFC 6455", "!violate c100", { type: "ModelStreamError", code: "1002" }],
    ["its text is not UTF-8", "!violate 8101ff", { type: "ModelStreamError", code: "1007" }],
  ])("fails: %s", async (_name, command, fault) => {
    const { call, container, events } = await system();
    const made = await call();
    await made.send("before", "UTF8");
    await made.send(command, "UTF8");
    expect(texts(await made.all())).toEqual([
      part("before", "UTF8"),
      expect.objectContaining({ kind: "exception", ...fault }),
    ]);
    await container.sockets[0]!.closed;
    await vi.waitFor(() => expect(events).toHaveLength(2));
    expect(events.at(-1)).toMatchObject({
      event: "bidi_end",
      outcome: expect.stringContaining(Object.values(fault)[0]),
    });
  });

  test("fails when pongs are missed, and not while they come", async () => {
    const limits = { pingIntervalMs: 40, missedPongsAllowed: 3 };
    const alive = await system({}, { limits });
    const kept = await alive.call();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await kept.send("!close [1000]", "UTF8");
    expect(await kept.all()).toEqual([]);

    const deaf = await system({ autoPong: false }, { limits });
    const made = await deaf.call();
    expect(await made.all()).toEqual([
      {
        kind: "exception",
        type: "ModelStreamError",
        code: "StreamBroken",
        message: "the container missed 3 pongs",
      },
    ]);
  });

  test("fails at the longest life of a stream", async () => {
    const { call, container } = await system({}, { limits: { sessionLimitMs: 120 } });
    const made = await call();
    expect(await made.all()).toMatchObject([
      { kind: "exception", type: "ModelStreamError", code: "ModelInvocationTimeExceeded" },
    ]);
    expect(await container.sockets[0]!.closed).toBe(1000);
  });
});

test("over TLS with ALPN the same port speaks HTTP/2 and HTTP/1.1", async () => {
  const folder = mkdtempSync(join(tmpdir(), "front-door-tls-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...subject], {
      stdio: "ignore",
    });
    const tls = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
    const { frontDoor, call } = await system({}, { tls });
    expect(frontDoor.url).toMatch(/^https:/);
    const made = await call({ tls: { ca: tls.cert } });
    await made.send("!close [1000]", "UTF8");
    expect((await made.head()).status).toBe(200);
    const https = await import("node:https");
    const status = await new Promise((resolve, reject) => {
      https
        .get(frontDoor.url, { ca: tls.cert }, (response) => resolve(response.resume() && response.statusCode))
        .on("error", reject);
    });
    expect(status).toBe(404);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("closing the stand-in ends its streams and frees the port", async () => {
  const { frontDoor, call, container } = await system();
  const made = await call();
  await made.head();
  await frontDoor.close();
  await new Promise((resolve) => made.stream.on("close", resolve));
  await container.sockets[0]!.closed;
  const again = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: frontDoor.port,
    endpoints: {},
    secretFor,
  });
  await again.close();
});

test("fails with what to do when the port is taken", async () => {
  const { frontDoor } = await system();
  const second = startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: frontDoor.port,
    endpoints: {},
    secretFor,
  });
  await expect(second).rejects.toMatchObject({
    code: "CONFIGURATION",
    message: expect.stringContaining("EADDRINUSE"),
  });
});

test("an operation that does not exist is 404 over either protocol", async () => {
  const { frontDoor } = await system();
  const response = await fetch(`${frontDoor.url}/endpoints`);
  expect(response.status).toBe(404);
  expect(response.headers.get("x-amzn-errortype")).toBe("UnknownOperationException");
  const session = http2.connect(frontDoor.url);
  const stream = session.request({ ":path": "/endpoints" });
  const headers = await new Promise<http2.IncomingHttpHeaders>((resolve) => stream.on("response", resolve));
  expect(headers[":status"]).toBe(404);
  session.destroy();
});
