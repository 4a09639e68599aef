/** bin/app.ts as `cdk` starts it: the context and the account come in the environment, a cloud assembly goes out. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function synthesize(context: object) {
  const { app } = JSON.parse(await readFile(join(ROOT, "cdk.json"), "utf8")) as { app: string };
  const [command, ...args] = app.split(" ");
  const outdir = await mkdtemp(join(tmpdir(), "kokoro-cdk-"));
  folders.push(outdir);
  const env = {
    ...process.env,
    CDK_OUTDIR: outdir,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    CDK_DEFAULT_ACCOUNT: "123456789012",
    CDK_DEFAULT_REGION: "eu-west-1",
  };
  const { status, stdout, stderr } = spawnSync(command!, args, { cwd: ROOT, env, encoding: "utf8" });
  const templates = (await readdir(outdir)).filter((name) => name.endsWith(".template.json")).sort();
  return { status, stdout, stderr, templates };
}

it("writes both sides' templates, and nothing else to the terminal", async () => {
  expect(await synthesize({ imageTag: "1", agentImageTag: "1", stage: "dev" })).toEqual({
    status: 0,
    stdout: "",
    stderr: "",
    templates: [
      "dev-speech-kokoro-82m-endpoint.template.json",
      "dev-speech-kokoro-82m-foundation.template.json",
      "dev-speech-kokoro-82m-model-cache.template.json",
      "dev-voice-agent-foundation.template.json",
      "dev-voice-agent-runtime.template.json",
    ],
  });
});

it("fails with one sentence where the context is wrong", async () => {
  const { status, stderr, templates } = await synthesize({ imageTag: "1", model: "kokoro-82" });
  expect(status).toBe(2);
  expect(stderr).toBe(
    'error: unknown model "kokoro-82"; nearest is kokoro-82m; speech-infra list shows them all\n',
  );
  expect(templates).toEqual([]);
});
