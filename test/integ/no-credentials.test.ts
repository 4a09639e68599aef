/** Commands on a machine with no AWS account set up: no network is waited for, what needs none works. */
import { describe, expect, it } from "vitest";
import { runCli } from "../helpers/run-cli.ts";

const REGION = ["--region", "eu-west-1"];

describe("without credentials", () => {
  it("list shows the catalog alone and says why", async () => {
    const { exitCode, stdout } = await runCli("speech-infra", ["list", ...REGION]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("kokoro-82m-cpu");
    expect(stdout).toContain("The catalog alone: no AWS credentials found");
    const json = await runCli("speech-infra", ["list", "--json"]);
    expect(json.exitCode).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      deployments: null,
      reason: expect.stringContaining("no AWS region is chosen"),
    });
  });

  it.each(["speech-infra", "agent-infra"] as const)("%s prints its policies", async (program) => {
    for (const whom of ["deployer", "cloudformation"]) {
      const { exitCode, stdout, stderr } = await runCli(program, ["permissions", "--for", whom, "--reasons"]);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ Version: "2012-10-17" });
      expect(stderr).toContain("CDK");
    }
  });

  it("a preflight fails with 2, tells what needs none, and what it could not check", async () => {
    const args = ["deploy", "kokoro-82m", "--dry-run", "--build", "remote", "--json", ...REGION];
    const { exitCode, stdout } = await runCli("speech-infra", args);
    expect(exitCode).toBe(2);
    expect(stdout).toContain("no AWS credentials found");
    expect(stdout).toContain("not checked, for want of credentials: bootstrap, names, quota, image");
  });

  it.each([
    ["speech-infra", "status"],
    ["speech-infra", "logs"],
    ["speech-infra", "sync-model"],
    ["agent-infra", "status"],
    ["agent-infra", "logs"],
    ["agent-infra", "invoke", "Hello."],
  ] as const)("%s %s fails with 2 and says how to get some", async (program, ...args) => {
    const { exitCode, stderr } = await runCli(program, [...args, ...REGION]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("no AWS credentials found; run `aws configure` or `aws sso login`");
  });
});
