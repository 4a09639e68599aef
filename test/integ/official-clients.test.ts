/**
 * AWS's own Java client of the bidirectional operation against the SageMaker stand-in, in the clear and over TLS.
 * It shares no code with ours, so what it accepts is the wire. Skipped aloud where Java 17 and Maven are absent or
 * the client cannot be fetched; the fetched jars stay in the cache folder, so that only the first run is slow.
 */
import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSageMakerFrontDoor } from "../../lib/local/sagemaker-front-door.ts";
import { CREDENTIALS, secretFor } from "../helpers/bidi-test-client.ts";
import { type EchoContainer, startEchoContainer } from "../helpers/echo-container.ts";

const SOURCES = fileURLToPath(new URL("../fixtures/official-client/", import.meta.url));
const CACHE = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
const JARS = join(CACHE, "kokoro-agent-voice", "official-client", "sagemakerruntimehttp2-2.40.2");
const COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
const FETCH_LIMIT_MS = 170_000;
const run = promisify(execFile);

/** @returns why the client cannot be used here. */
async function fetchClient(): Promise<string | undefined> {
  try {
    const { stderr } = await run("java", ["-version"]);
    if (Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0) < 17) return "Java is older than 17";
    if (existsSync(JARS)) return undefined;
    await run("mvn", ["--version"]);
  } catch {
    return "Java 17 or Maven is not installed";
  }
  mkdirSync(join(JARS, ".."), { recursive: true });
  const folder = mkdtempSync(`${JARS}-`);
  try {
    await run("mvn", ["-B", "-q", "-f", join(SOURCES, "pom.xml"), COPY, `-DoutputDirectory=${folder}`], {
      timeout: FETCH_LIMIT_MS,
    });
    renameSync(folder, JARS);
    return undefined;
  } catch {
    rmSync(folder, { recursive: true, force: true });
    return existsSync(JARS) ? undefined : "Maven could not fetch the client";
  }
}

let missing: string | undefined;
let container: EchoContainer;
const folder = mkdtempSync(join(tmpdir(), "official-clients-"));

beforeAll(async () => {
  missing = await fetchClient();
  if (missing) process.stderr.write(`SKIPPED: the official Java client was not tried: ${missing}\n`);
  container = await startEchoContainer();
}, FETCH_LIMIT_MS + 10_000);
afterAll(async () => {
  await container.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(
  messages: readonly string[],
  { endpoint = "speech", secret = CREDENTIALS.secretAccessKey, tls = false } = {},
): Promise<string[]> {
  const frontDoor = await startSageMakerFrontDoor({
    host: "127.0.0.1",
    port: 0,
    endpoints: { speech: container.url },
    secretFor,
    region: "us-east-1",
    ...(tls && { tls: certificate() }),
  });
  try {
    const program = join(SOURCES, "OfficialClient.java");
    const { stdout } = await run(
      "java",
      ["-cp", join(JARS, "*"), program, frontDoor.url, endpoint, ...messages],
      {
        env: { ...process.env, CLIENT_SECRET: secret },
        timeout: 50_000,
      },
    );
    return stdout.trimEnd().split("\n");
  } finally {
    await frontDoor.close();
  }
}

function certificate(): { key: string; cert: string } {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const files = ["-keyout", key, "-out", cert, "-subj", "/CN=localhost"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...files], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

describe("the official Java client", () => {
  test("parts of every kind go and come, and the stream ends cleanly", async ({ skip }) => {
    if (missing) skip(missing);
    const messages = ["UTF8:hello", "BINARY:bytes", "NONE:{}", "PARTIAL:one ", "UTF8:message"];
    const lines = await call([...messages, "UTF8:!fragments text", "UTF8:!close [1000]"]);
    expect(lines).toEqual([
      "response\tAllTraffic",
      "part\tUTF8\tCOMPLETE\thello",
      "part\tBINARY\tCOMPLETE\tbytes",
      "part\tBINARY\tCOMPLETE\t{}",
      "part\tUTF8\tCOMPLETE\tone message",
      "part\tUTF8\tPARTIAL\tone,",
      "part\tUTF8\tPARTIAL\ttwo,",
      "part\tUTF8\tCOMPLETE\tthree",
      "end",
    ]);
  });

  test("over TLS", async ({ skip }) => {
    if (missing) skip(missing);
    const lines = await call(["UTF8:hello", "UTF8:!close [1000]"], { tls: true });
    expect(lines).toEqual(["response\tAllTraffic", "part\tUTF8\tCOMPLETE\thello", "end"]);
  });

  test("fails with ModelStreamError of the container", async ({ skip }) => {
    if (missing) skip(missing);
    const lines = await call(["UTF8:!model-error"]);
    expect(lines.at(-1)).toMatch(/^exception\tModelStreamErrorException\tE1 said so/);
  });

  test("fails with InputValidationError for an unknown endpoint", async ({ skip }) => {
    if (missing) skip(missing);
    const [line] = await call([], { endpoint: "nobody" });
    expect(line).toMatch(/^exception\tInputValidationErrorException\t400 Endpoint nobody not found/);
  });

  test("fails for a wrong secret", async ({ skip }) => {
    if (missing) skip(missing);
    const [line] = await call([], { secret: "wrong" });
    expect(line).toMatch(
      /^exception\tSageMakerRuntimeHttp2Exception\t403 The request signature we calculated/,
    );
  });
});
