/** `speech-infra say` as a user runs it, against the real speech server with a fake engine: no weights needed. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { LOCAL_CREDENTIALS, LOCAL_REGION } from "../../lib/config/names.ts";
import { Service } from "../../lib/local/child-process.ts";
import { type RunningStandIn, startSageMakerFrontDoor } from "../../lib/local/sagemaker-front-door.ts";
import { killCommands, RunningCli, runCli } from "../helpers/run-cli.ts";

let folder: string;
let tts: Service;
let frontDoor: RunningStandIn;
let ttsUrl: string;
let out: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cli-say-"));
  out = join(folder, "speech.wav");
  tts = new Service({
    title: "the TTS container",
    file: fileURLToPath(new URL("../helpers/fake-tts-container.ts", import.meta.url)),
    args: [JSON.stringify({ msPerAudioSecond: 20 })],
    env: { PATH: process.env.PATH },
  });
  const { host, port } = await tts.listening;
  ttsUrl = `http://${host}:${port}`;
  frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { "my-endpoint": ttsUrl },
    secretFor: (id) => (id === LOCAL_CREDENTIALS.accessKeyId ? LOCAL_CREDENTIALS.secretAccessKey : undefined),
  });
});
afterEach(killCommands);
afterAll(async () => {
  await frontDoor.close();
  await tts.stop();
  await rm(folder, { recursive: true });
});

const wavSeconds = async (path: string) => readWav(await readFile(path)).pcm16.length / 48_000;

describe("speech-infra say", () => {
  it("speaks its argument into a WAV and tells how", async () => {
    const { exitCode, stdout, stderr } = await runCli("speech-infra", [
      ...["say", "Hello there. And again.", "--endpoint-url", ttsUrl, "--out", out],
    ]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/speech\.wav: \d+\.\d\d s of speech, first audio after \d+ ms, RTF 0\.\d\d\n$/);
    expect(await wavSeconds(out)).toBeGreaterThan(1);
  });

  it("explains pieces, what is said and phonemes, and speaks nothing", async () => {
    const lexicon = join(folder, "lexicon.json");
    await writeFile(lexicon, '{"SQL": "sequel", "Nguyen": "/wˈɪn/"}');
    const { exitCode, stdout, stderr } = await runCli("speech-infra", [
      ...["say", "SQL is $5. Ask Nguyen.\n\n***", "--explain", "--json", "--lexicon", lexicon],
    ]);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      pieces: [
        { text: "SQL is $5.", spoken: "sequel is five dollars.", phonemes: "sˈiːkwəl ɪz fˈaɪv dˈɑːlɚz." },
        { text: "Ask Nguyen.", spoken: "Ask [Nguyen](/wˈɪn/).", phonemes: "ˈæsk wˈɪn." },
      ],
    });
  });

  it("gives one object with --json", async () => {
    const { exitCode, stdout } = await runCli("speech-infra", [
      ...["say", "Hello there.", "--endpoint-url", ttsUrl, "--out", out, "--json"],
    ]);
    expect(exitCode).toBe(0);
    const result = JSON.parse(stdout);
    expect(Object.keys(result).sort()).toEqual(["audioSeconds", "file", "firstAudioMs", "rtf"]);
    expect(result.file).toBe(out);
    expect(result.firstAudioMs).toBeGreaterThan(0);
    expect(result.rtf).toBeGreaterThan(0);
    expect(await wavSeconds(out)).toBeCloseTo(result.audioSeconds, 2);
  });

  it("speaks standard input and files, to MP3 too, over the SageMaker stream as well", async () => {
    const mp3 = join(folder, "new folder", "speech.mp3");
    const aws = {
      SPEECH_ENDPOINT_URL: frontDoor.url,
      AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    };
    const piped = await runCli(
      "speech-infra",
      ["say", "-", "--speech-endpoint", "my-endpoint", "--region", LOCAL_REGION, "--out", mp3],
      { stdin: "From a pipe. Two sentences.", env: aws },
    );
    expect(piped.stderr).toBe("");
    expect(piped.exitCode).toBe(0);
    expect((await readFile(mp3))[0]).toBe(0xff);

    const text = join(folder, "text.txt");
    await writeFile(text, "A sentence of a long text. ".repeat(200));
    const filed = await runCli("speech-infra", [
      ...["say", "--file", text, "--endpoint-url", ttsUrl, "--out", out, "--json"],
    ]);
    expect(filed.exitCode).toBe(0);
    expect(await wavSeconds(out)).toBeCloseTo(JSON.parse(filed.stdout).audioSeconds, 1);
    expect(await wavSeconds(out)).toBeGreaterThan(200);
  });

  it("stops on Ctrl-C and leaves no half file", async () => {
    const half = join(folder, "half");
    const cli = new RunningCli(
      "speech-infra",
      [...["say", "-", "--endpoint-url", ttsUrl, "--out", join(half, "speech.wav")]],
      { stdin: "A sentence that goes on. ".repeat(5_000) },
    );
    await expect.poll(() => readdir(half).catch(() => []), { timeout: 10_000 }).toHaveLength(1);
    cli.child.kill("SIGINT");
    const { exitCode, stdout, stderr } = await cli.ended;
    expect(exitCode).toBe(130);
    expect(stdout).toBe("");
    expect(stderr).toBe("Stopping ...\n");
    expect(await readdir(half)).toEqual([]);
  });
});

describe("speech-infra say refuses, with exit code 2 and one sentence,", () => {
  const to = () => ["--endpoint-url", ttsUrl, "--out", out];
  it.each([
    ["no text", () => ["say", ...to()], /give the text as an argument/],
    ["an empty standard input", () => ["say", "-", ...to()], /standard input is empty/],
    ["a text without words", () => ["say", "...", ...to()], /has no letter or digit to say/],
    [
      "a missing file",
      () => ["say", "--file", "/nonexistent", ...to()],
      /cannot read \/nonexistent: no such file/,
    ],
    [
      "a lexicon that is none",
      () => ["say", "a", "--lexicon", "README.md", ...to()],
      /--lexicon README\.md is not JSON; write it as in/,
    ],
    ["an unknown voice", () => ["say", "a", "--voice", "af_hart", ...to()], /nearest are af_heart/],
    ["a wrong speed", () => ["say", "a", "--speed", "3", ...to()], /--speed must be a number from 0\.5 to 2/],
    ["another format", () => ["say", "a", "--out", "a.ogg"], /--out must end in \.wav or \.mp3/],
    ["an --out below a file", () => ["say", "a", "--out", "package.json/a.wav"], /is a file, not a folder/],
    ["no URL", () => ["say", "a", "--endpoint-url", "localhost:1"], /--endpoint-url must be a URL/],
    [
      "a URL where nobody is",
      () => ["say", "a", "--out", out, "--endpoint-url", "http://127.0.0.1:2"],
      /nobody answers at/,
    ],
    [
      "no region",
      () => ["say", "a", "--out", out, "--speech-endpoint", "x"],
      /give --region or set AWS_REGION/,
    ],
    [
      "no credentials",
      () => ["say", "a", "--out", out, "--speech-endpoint", "x", "--region", "us-east-1"],
      /no AWS credentials found/,
    ],
  ])("%s", async (_name, args, message) => {
    const { exitCode, stdout, stderr } = await runCli("speech-infra", args());
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
  });

  it("weights that are nowhere, as JSON", async () => {
    const { exitCode, stdout, stderr } = await runCli(
      "speech-infra",
      ["say", "Hello.", "--out", out, "--json"],
      { env: { KOKORO_MODEL_DIR: "/nonexistent", XDG_CACHE_HOME: folder, KOKORO_WEIGHT_SOURCES: "none" } },
    );
    expect(exitCode).toBe(2);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "WEIGHTS_UNAVAILABLE",
      message: expect.stringContaining("KOKORO_MODEL_DIR: /nonexistent holds no whole model"),
    });
  });
});

describe("speech-infra voices", () => {
  it("lists 54 voices for programs", async () => {
    const { exitCode, stdout } = await runCli("speech-infra", ["voices", "--json"]);
    expect(exitCode).toBe(0);
    const { voices } = JSON.parse(stdout);
    expect(voices).toHaveLength(54);
    expect(voices[3]).toEqual({ name: "af_heart", language: "en-us", gender: "female" });
  });
});
