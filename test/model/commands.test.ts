/** The commands as a user runs them on the real model: nothing here is fake but AWS. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { readWav } from "../../lib/audio/wav.ts";
import { summarySchema } from "../../lib/bench/report.ts";
import { processEnvironment } from "../../lib/config/environment.ts";
import { readModelSettings } from "../../lib/config/model-settings.ts";
import { locateModel } from "../../lib/model/locate-model.ts";
import { killCommands, RunningCli, runCli } from "../helpers/run-cli.ts";

// CI must have the weights, and fetches them; elsewhere their absence skips, and says so by the suite's name.
const isRequired = Boolean(processEnvironment().CI);
const settings = { ...readModelSettings(), ...(isRequired ? {} : { sources: [] }) };
const weights = await locateModel({ signal: AbortSignal.timeout(280_000), settings }).catch(
  (error: unknown) => {
    if (isRequired) throw error;
    return undefined;
  },
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
});
afterEach(killCommands);
afterAll(() => rm(folder, { recursive: true }));

/** Loudness of PCM16, so that silence does not pass for speech. */
function rms(pcm16: Uint8Array): number {
  const samples = new Int16Array(pcm16.buffer.slice(pcm16.byteOffset, pcm16.byteOffset + pcm16.byteLength));
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
}

describe.skipIf(weights === undefined)("the commands on the real model (skipped without weights)", () => {
  it("say speaks", async () => {
    const out = join(folder, "say.wav");
    const { exitCode, stdout } = await runCli("speech-infra", [
      "say",
      "Hello there.",
      "--out",
      out,
      "--json",
    ]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).audioSeconds).toBeGreaterThan(0.5);
    const { pcm16 } = readWav(await readFile(out));
    expect(rms(pcm16)).toBeGreaterThan(300);
  });

  it("demo starts all of it, is heard sooner in bidi, and leaves nothing running", async () => {
    const { exitCode, stdout } = await runCli("agent-infra", [
      ...["demo", "--runs", "1", "--modes", "bidi,batch", "--prompt", "How do I brew coffee?"],
      ...["--out", join(folder, "demo"), "--json"],
    ]);
    expect(exitCode).toBe(0);
    const { modes, bidiSpeedup } = summarySchema.parse(JSON.parse(stdout));
    expect(bidiSpeedup).toBeGreaterThan(1);
    expect(modes.bidi!.audioSeconds).toBeCloseTo(modes.batch!.audioSeconds, -1);
    expect(rms(readWav(await readFile(join(folder, "demo", "bidi.wav"))).pcm16)).toBeGreaterThan(300);
  });

  it("serve answers its own example", async () => {
    const args = ["serve", "--port", "0", "--front-door-port", "0"];
    const cli = new RunningCli("speech-infra", args);
    await cli.untilPrinted("Ctrl-C stops it.");
    const example = /^ {2}(curl [\s\S]*?hello\.wav)$/m.exec(cli.stdout)![1]!;
    await promisify(execFile)("bash", ["-c", example], { cwd: folder });
    expect(readWav(await readFile(join(folder, "hello.wav"))).sampleRateHz).toBe(24_000);
    cli.child.kill("SIGINT");
    expect((await cli.ended).exitCode).toBe(130);
  });
});
