/** The templates are sound CloudFormation, as cfn-lint (PyPI) sees it. Skipped aloud without Python, required in CI. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { agentApp } from "../../../stacks/agent-app.ts";
import { speechApp } from "../../../stacks/speech-app.ts";
import { pythonTools } from "../../helpers/python-venv.ts";
import { AGENT, KMS_KEY_ARN, SPEECH } from "../../helpers/synthesized-apps.ts";

/** "DependsOn that a reference already says": CDK writes some of those. */
const IGNORED = "W3005";

const python = await pythonTools("cfn-lint");
const folder = await mkdtemp(join(tmpdir(), "kokoro-templates-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(python === undefined)("cfn-lint finds nothing in the templates", () => {
  const ANYWHERE = { account: undefined, region: undefined };
  const KMS = { kmsKeyArn: KMS_KEY_ARN };
  it.each([
    ["speech", (outdir: string) => speechApp({ ...SPEECH, outdir })],
    [
      "speech on CPUs",
      (outdir: string) =>
        speechApp({ ...SPEECH, ...ANYWHERE, modelId: "kokoro-82m-cpu", options: KMS, outdir }),
    ],
    ["agent", (outdir: string) => agentApp({ ...AGENT, outdir })],
    ["agent in any account", (outdir: string) => agentApp({ ...AGENT, ...ANYWHERE, options: KMS, outdir })],
  ])("of %s", (side, make) => {
    const { stacks } = make(join(folder, side.replaceAll(" ", "-"))).synth();
    const files = stacks.map(({ templateFullPath }) => templateFullPath);
    expect(files.length).toBeGreaterThan(1);
    const { command, module, env } = python!;
    const { status, stdout, stderr } = spawnSync(command, [...module, "-i", IGNORED, "--", ...files], {
      env: env as NodeJS.ProcessEnv,
      encoding: "utf8",
    });
    expect([stdout, stderr, status]).toEqual(["", "", 0]);
  });
});
