/** Our own client against the SageMaker stand-in: what the two, written apart, must agree on. */
import { afterEach, describe, expect, test } from "vitest";
import { BidiStream } from "../../lib/client/sagemaker/bidi-stream.ts";
import { resolveSpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import { invokeEndpoint, invokeEndpointStream } from "../../lib/client/sagemaker/invocation.ts";
import {
  type SageMakerFrontDoorOptions,
  startSageMakerFrontDoor,
} from "../../lib/local/sagemaker-front-door.ts";
import { CREDENTIALS, secretFor } from "../helpers/bidi-test-client.ts";
import { type EchoOptions, startEchoContainer } from "../helpers/echo-container.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  while (open.length > 0) await open.pop()!();
});

async function system(echo: EchoOptions = {}, door: Partial<SageMakerFrontDoorOptions> = {}) {
  const container = await startEchoContainer(echo);
  const frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: container.url, down: "http://127.0.0.1:1" },
    secretFor,
    region: "us-east-1",
    ...door,
  });
  open.push(
    () => container.close(),
    () => frontDoor.close(),
  );
  const to = (endpointName: string, credentials = CREDENTIALS) => ({
    endpoint: resolveSpeechEndpoint({ endpointName, region: "us-east-1", overrideUrl: frontDoor.url }),
    credentials,
  });
  const call = (endpointName = "speech", credentials = CREDENTIALS) => {
    const stream = new BidiStream(to(endpointName, credentials));
    open.push(() => stream.destroy(new Error("the test is over")));
    return stream;
  };
  return { container, to, call };
}

const utf8 = (text: string) => ({ bytes: Buffer.from(text), dataType: "UTF8" as const });

async function drain(
  stream: AsyncIterable<{ bytes: Uint8Array; dataType?: string; completionState?: string }>,
) {
  const parts: unknown[] = [];
  for await (const { bytes, dataType, completionState } of stream) {
    parts.push([Buffer.from(bytes).toString("latin1"), dataType, completionState]);
  }
  return parts;
}

describe("bidirectional", () => {
  test.each([false, true])(
    "parts go and come; response headers held back: %s",
    async (holdResponseHeaders) => {
      const { call } = await system({}, { holdResponseHeaders });
      const stream = call();
      await stream.send(utf8("hello"));
      await stream.send({ bytes: Buffer.from([0x7b, 0xff]), dataType: "BINARY" });
      await stream.send(utf8("!fragments"));
      await stream.send(utf8("!close [1000]"));
      expect(await drain(stream)).toEqual([
        ["hello", "UTF8", "COMPLETE"],
        ["{\xff", "BINARY", "COMPLETE"],
        ["one,", "BINARY", "PARTIAL"],
        ["two,", "BINARY", "PARTIAL"],
        ["three", "BINARY", "COMPLETE"],
      ]);
      expect(await stream.opened).toMatchObject({ variant: "AllTraffic" });
    },
  );

  test("after the half-close the answer comes to its end", async () => {
    const { call } = await system();
    const stream = call();
    await stream.send(utf8("!late"));
    await stream.end();
    expect(await drain(stream)).toEqual([["late answer", "UTF8", "COMPLETE"]]);
  });

  test("a large answer arrives whole although it is read slowly", async () => {
    const { call } = await system();
    const stream = call();
    await stream.send(utf8("!flood 200"));
    let bytes = 0;
    let parts = 0;
    for await (const part of stream) {
      bytes += part.bytes.length;
      if (parts++ % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(bytes).toBe(200 * 65_536);
  });

  test("leaving early is seen by the container at once", async () => {
    const { call, container } = await system();
    const stream = call();
    await stream.send(utf8("hello"));
    for await (const _ of stream) break;
    expect(await container.sockets[0]!.closed).toBe(1001);
  });

  test.each([
    ["!die", "TRANSPORT_FAILED"],
    ['!close [1011,"crashed"]', "SYNTHESIS_FAILED"],
    ["!model-error", "SYNTHESIS_FAILED"],
  ])("fails with a typed error after %s", async (command, code) => {
    const { call } = await system();
    const stream = call();
    await stream.send(utf8(command));
    await expect(drain(stream)).rejects.toMatchObject({ code });
  });

  test.each<[string, string, typeof CREDENTIALS | undefined, string]>([
    ["unknown endpoint", "nobody", undefined, "NOT_FOUND"],
    ["container down", "down", undefined, "MODEL_NOT_READY"],
    ["wrong secret", "speech", { ...CREDENTIALS, secretAccessKey: "x" }, "ACCESS_DENIED"],
  ])("fails with a typed error: %s", async (_name, endpointName, credentials, code) => {
    const { call } = await system();
    await expect(call(endpointName, credentials).opened).rejects.toMatchObject({ code });
  });

  test("fails as saturated when the container's queue is full", async () => {
    const { call } = await system({ refuseStatus: 503 });
    await expect(call().opened).rejects.toMatchObject({ code: "QUEUE_SATURATED", retryable: true });
  });
});

describe("unidirectional", () => {
  test("the whole invocation, and the streamed one", async () => {
    const { to } = await system();
    const whole = await invokeEndpoint({ text: "hi" } as never, to("speech"));
    expect(whole.contentType).toBe("text/plain");
    expect(Buffer.from(whole.body).toString()).toMatch(/^echo:\{.*"hi"/);
    const streamed = await invokeEndpointStream({ text: "hi" } as never, to("speech"));
    expect(streamed.contentType).toBe("text/plain");
    let text = "";
    for await (const chunk of streamed.body) text += Buffer.from(chunk).toString();
    expect(text).toBe(Buffer.from(whole.body).toString());
  });

  test("fails with the container's own reason", async () => {
    const { to } = await system({
      onInvocation: (_request, _body, response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end('{"error":{"code":"UNKNOWN_VOICE","message":"no such voice","retryable":false}}');
      },
    });
    await expect(invokeEndpoint({ text: "hi" } as never, to("speech"))).rejects.toMatchObject({
      code: "UNKNOWN_VOICE",
    });
  });
});
