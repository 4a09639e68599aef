/** What one caller does wrong, or slowly, must end its own stream only: faults, half-open ends, back-pressure. */
import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { encodeEvent } from "../../lib/local/event-stream.ts";
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
  const frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: container.url },
    secretFor,
    ...door,
  });
  open.push(container, frontDoor);
  const call = async (options: Partial<CallOptions> = {}) => {
    const made = await BidiTestCall.open({ url: frontDoor.url, ...options });
    open.push(made);
    return made;
  };
  return { container, frontDoor, call };
}

/** A second stream on the same connection goes on as if nothing had happened. */
async function expectNeighbourUnharmed(neighbour: BidiTestCall) {
  await neighbour.send("still here", "UTF8");
  const answers = neighbour.answers();
  expect(String(((await answers.next()).value as { bytes: Buffer }).bytes)).toBe("still here");
}

describe("a broken event ends its stream with an error event, and only that stream", () => {
  test.each<[string, (call: BidiTestCall) => Promise<unknown>, string]>([
    [
      "bad checksum",
      async (call) => {
        const bytes = await call.signed(BidiTestCall.part("x", "UTF8"));
        bytes[bytes.length - 1]! ^= 1;
        call.raw(bytes);
      },
      "InputValidationError",
    ],
    [
      "giant length",
      async (call) => {
        const event = encodeEvent({}, Buffer.alloc(3 * 1024 * 1024));
        call.raw(event.subarray(0, 12));
      },
      "InputValidationError",
    ],
    [
      "third event with a wrong signature",
      async (call) => {
        await call.send("one", "UTF8");
        await call.send("two", "UTF8");
        const bytes = await call.signed(BidiTestCall.part("three", "UTF8"));
        const spoilt = BidiTestCall.part("THREE", "UTF8");
        const header = bytes.subarray(12, 12 + bytes.readUInt32BE(4));
        call.raw(
          encodeEvent(
            { ":date": new Date(Number(header.readBigInt64BE(7))), ":chunk-signature": header.subarray(-32) },
            spoilt,
          ),
        );
      },
      "InvalidSignatureException",
    ],
    ["unsigned event", async (call) => call.raw(BidiTestCall.part("x", "UTF8")), "InvalidSignatureException"],
    [
      "event signed an hour ago",
      async (call) =>
        call.raw(await call.signed(BidiTestCall.part("x", "UTF8"), new Date(Date.now() - 3_600_000))),
      "InvalidSignatureException",
    ],
    [
      "signed nonsense inside",
      async (call) => call.raw(await call.signed(Buffer.from("garbage"))),
      "InputValidationError",
    ],
    [
      "end inside an event",
      async (call) => {
        call.stream.end((await call.signed(BidiTestCall.part("x", "UTF8"))).subarray(0, -3));
      },
      "InputValidationError",
    ],
  ])("fails: %s", async (_name, attack, errorType) => {
    const { call, container, frontDoor } = await system();
    const session = http2.connect(frontDoor.url);
    open.push(session);
    const neighbour = await call({ session });
    const attacker = await call({ session });
    await attacker.head();
    await attack(attacker);
    const answers = await attacker.all();
    expect(answers.at(-1)).toMatchObject({ kind: "error", type: errorType });
    // What came in order before the fault was delivered; the faulty event was not.
    const record =
      container.sockets.find(({ closeCode }) => closeCode !== undefined) ?? container.sockets[1]!;
    expect(await record.closed).toBe(1000);
    expect(record.messages.map(({ data }) => String(data))).not.toContain("THREE");
    await expectNeighbourUnharmed(neighbour);
  });
});

describe("a caller that leaves", () => {
  test.each<[string, (call: BidiTestCall) => void]>([
    ["resets its stream", (call) => call.abort()],
    ["closes its stream without an error", (call) => call.stream.close(http2.constants.NGHTTP2_NO_ERROR)],
    ["loses its connection", (call) => call.session.socket.resetAndDestroy()],
    ["ends its connection", (call) => call.session.destroy()],
  ])("%s: the container's socket hears of it at once", async (_name, leave) => {
    const { call, container } = await system();
    const made = await call();
    await made.send("hello", "UTF8");
    await vi.waitFor(() => expect(container.sockets[0]?.messages).toHaveLength(1));
    const began = performance.now();
    leave(made);
    expect(await container.sockets[0]!.closed).toBe(1001);
    expect(performance.now() - began).toBeLessThan(500);
  });

  test("while the container is still accepting: no socket stays behind", async () => {
    const { call, container } = await system({ acceptDelayMs: 100 });
    const made = await call();
    await delay(30);
    made.abort();
    await delay(200);
    for (const record of container.sockets) await record.closed;
  });
});

test("a container that dies ends its streams with an exception and harms no other container's", async () => {
  const other = await startEchoContainer();
  open.push(other);
  const { call, container, frontDoor } = await system();
  const both = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: container.url, other: other.url },
    secretFor,
  });
  open.push(both);
  expect(frontDoor.port).not.toBe(both.port);
  const session = http2.connect(both.url);
  open.push(session);
  const neighbour = await call({ session, endpoint: "other" });
  const made = await call({ session });
  await made.head();
  await container.close();
  expect(await made.all()).toMatchObject([{ kind: "exception", type: "InternalStreamFailure" }]);
  await expectNeighbourUnharmed(neighbour);
});

describe("back-pressure", () => {
  test("a caller that does not read holds the container back, and gets every byte when it reads", async () => {
    const blocks = 400; // of 64 KiB: 25 MiB
    const { call, container } = await system();
    const made = await call();
    await made.send(`!flood ${blocks}`, "UTF8");
    await made.head();
    await delay(300);
    const { socket } = container.sockets[0]!;
    const held = socket.bufferedAmount;
    expect(held).toBeGreaterThan(0);
    await delay(200);
    expect(socket.bufferedAmount).toBe(held); // nothing moves: the container waits
    let bytes = 0;
    for await (const answer of made.answers()) if (answer.kind === "part") bytes += answer.bytes.length;
    expect(bytes).toBe(blocks * 65_536);
  });

  test("a container that does not read holds its caller back, and another stream of the connection flows on", async () => {
    const { call, frontDoor, container } = await system();
    const session = http2.connect(frontDoor.url, { maxSessionMemory: 64 }); // the caller's own queue counts
    open.push(session);
    const made = await call({ session });
    await made.send("!pause", "UTF8");
    await made.head();
    const block = Buffer.alloc(64 * 1024, 1);
    const sent = 400; // 25 MiB, more than the windows and the kernel's buffers hold
    for (let i = 0; i < sent; i++) await made.send(block);
    await delay(300);
    const held = made.stream.writableLength;
    expect(held).toBeGreaterThan(8 * 1024 * 1024);
    await delay(200);
    expect(made.stream.writableLength).toBe(held); // nothing moves: the caller waits
    await expectNeighbourUnharmed(await call({ session }));
    container.sockets[0]!.socket.resume();
    await vi.waitFor(() => expect(container.sockets[0]!.messages).toHaveLength(sent + 1), 10_000);
  });

  test("a caller that leaves a container that does not read is still noticed", async () => {
    const { call, container } = await system();
    const made = await call();
    await made.send("!pause", "UTF8");
    await made.head();
    const block = Buffer.alloc(64 * 1024, 1);
    for (let i = 0; i < 200; i++) await made.send(block);
    await delay(100);
    made.abort();
    await delay(50);
    container.sockets[0]!.socket.resume();
    expect([1001, 1006]).toContain(await container.sockets[0]!.closed);
  });
});

test("a hundred streams at once, on one connection, each get their own answers", async () => {
  // Caller, door and container share this process here, and a hundred signatures keep it busy for a while.
  const { call, frontDoor, container } = await system({}, { limits: { acceptTimeoutMs: 10_000 } });
  const session = http2.connect(frontDoor.url);
  open.push(session);
  session.setMaxListeners(0);
  const results = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const made = await call({ session });
      for (let j = 0; j < 5; j++) await made.send(`${i}:${j}`, "UTF8");
      await made.send("!close [1000]", "UTF8");
      return (await made.all()).map((answer) => ("bytes" in answer ? String(answer.bytes) : answer.type));
    }),
  );
  for (const [i, got] of results.entries()) expect(got).toEqual([0, 1, 2, 3, 4].map((j) => `${i}:${j}`));
  expect(container.sockets).toHaveLength(100);
});

describe("connections that say too little or too much", () => {
  test("header lines without end are cut off", async () => {
    const { frontDoor } = await system();
    const socket = net.connect(frontDoor.port, "127.0.0.1");
    open.push({ close: () => socket.destroy() });
    socket.on("error", () => {});
    socket.write("POST /endpoints/speech/invocations HTTP/1.1\r\nhost: x\r\n");
    const writer = setInterval(
      () => socket.writable && socket.write(`x-${Math.random()}: ${"y".repeat(1000)}\r\n`),
      1,
    );
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    await once(socket, "close");
    clearInterval(writer);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  test("a header list without end over HTTP/2 ends that connection, not the server", async () => {
    const { frontDoor, call } = await system();
    const session = http2.connect(frontDoor.url, { maxSendHeaderBlockLength: 16 * 1024 * 1024 } as never);
    open.push(session);
    session.on("error", () => {});
    const headers = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, "y".repeat(1000)]));
    const stream = session.request({ ":path": "/", ...headers });
    stream.on("error", () => {});
    await new Promise((resolve) => stream.on("close", resolve));
    const made = await call();
    await expectNeighbourUnharmed(made);
  });

  test("bytes that are no HTTP get an answer and a closed connection", async () => {
    const { frontDoor, call } = await system();
    const socket = net.connect(frontDoor.port, "127.0.0.1", () =>
      socket.write("PRI * HTTP/9.9\r\n\r\nnonsense"),
    );
    open.push({ close: () => socket.destroy() });
    socket.on("error", () => {});
    socket.resume();
    await once(socket, "close");
    await expectNeighbourUnharmed(await call());
  });

  test("the preface may come byte by byte", async () => {
    const { frontDoor } = await system();
    const socket = net.connect(frontDoor.port, "127.0.0.1");
    open.push({ close: () => socket.destroy() });
    socket.setNoDelay(true);
    for (const byte of Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1")) {
      socket.write(Uint8Array.of(byte));
      await delay(1);
    }
    const [settings] = (await once(socket, "data")) as [Buffer];
    expect(settings[3]).toBe(4); // SETTINGS: the server speaks HTTP/2
  });
});
