import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { agentNames, speechNames } from "../../../../lib/config/deployment-names.ts";
import { agentDeployer, speechDeployer } from "../../../../lib/deploy/permissions/deployer.ts";
import {
  MANAGED_POLICY_MAX_CHARS,
  type Permission,
  policyChars,
  policyDocument,
} from "../../../../lib/deploy/permissions/policy.ts";
import { sdkActions } from "../../../helpers/sdk-actions.ts";

const PLACE = { account: "123456789012", region: "eu-west-1" };
const SPEECH = speechDeployer(speechNames("kokoro-82m", "main"), PLACE);
const AGENT = agentDeployer(agentNames("main"), PLACE);
const actionsOf = (permissions: readonly Permission[]) =>
  new Set(permissions.flatMap(({ actions }) => actions));

/** Only of one side; the rest is called for both. */
const SPEECH_ONLY = /^(speech|model-sync)\/|^status\/(endpoint-report|speech-status)/;
const AGENT_ONLY = /^agent\/|^preflight\/(language-model|agent-services)|^status\/agent-status/;
const sources = globSync("lib/deploy/**/*.ts").map((path) => ({
  path: path.replaceAll("\\", "/").replace("lib/deploy/", ""),
  actions: sdkActions(readFileSync(path, "utf8")),
}));

describe("a deployer's policy", () => {
  it.each([
    ["speech", SPEECH, AGENT_ONLY],
    ["agent", AGENT, SPEECH_ONLY],
  ] as const)("of %s covers every call of AWS that lib/deploy makes for it", (_side, permissions, others) => {
    const allowed = actionsOf(permissions);
    // Shared by both sides' checks, each with calls of its own.
    const isOthers = (path: string, action: string) =>
      others.test(path) ||
      (permissions === SPEECH && action === "bedrock-agentcore:ListAgentRuntimes") ||
      (permissions === AGENT && action.startsWith("servicequotas:"));
    const missing = sources.flatMap(({ path, actions }) =>
      actions
        .filter((action) => !allowed.has(action) && !isOthers(path, action))
        .map((action) => `${path}: ${action}`),
    );
    expect(missing).toEqual([]);
  });

  it("is found by reading sources that do call AWS", () => {
    expect(sources.flatMap(({ actions }) => actions).length).toBeGreaterThan(40);
    expect(
      sdkActions(`import { UploadPartCommand, type S3Client } from "@aws-sdk/client-s3";
        const { paginateDescribeLogGroups } = await import("@aws-sdk/client-cloudwatch-logs");`),
    ).toEqual(["s3:PutObject", "logs:DescribeLogGroups"]);
  });

  it("has a reason for each statement, and no action with an asterisk", () => {
    for (const { sid, reason, actions, resources } of [...SPEECH, ...AGENT]) {
      expect(sid).toMatch(/^[A-Za-z0-9]+$/);
      expect(reason.length).toBeGreaterThan(20);
      expect(actions.filter((action) => action.includes("*"))).toEqual([]);
      // An asterisk for a resource is said why.
      if (resources.includes("*")) {
        expect(`${sid}: ${reason}`).toMatch(/list|describes no|whole|may be used/);
      }
    }
  });

  it("is bound to the names of its stage", () => {
    const dev = JSON.stringify(policyDocument(speechDeployer(speechNames("kokoro-82m", "dev"), PLACE)));
    expect(dev).toContain("arn:aws:ecr:eu-west-1:123456789012:repository/dev-speech-kokoro-82m");
    expect(dev).not.toMatch(/[:/]speech-kokoro/);
  });

  it("is of the region's partition, or of any where none is said", () => {
    const names = agentNames("main");
    const china = JSON.stringify(agentDeployer(names, { account: "*", region: "cn-north-1" }));
    expect(china).toContain("arn:aws-cn:");
    expect(china).not.toContain("arn:aws:");
    const any = JSON.stringify(agentDeployer(names, { account: "*", region: "*" }));
    expect(any).toContain("arn:*:bedrock-agentcore:*:*:runtime/voice_agent-*");
  });

  it("fits into one managed policy", () => {
    for (const permissions of [
      speechDeployer(speechNames("kokoro-82m-cpu", "stage123"), PLACE),
      agentDeployer(agentNames("stage123"), PLACE),
    ]) {
      expect(policyChars(policyDocument(permissions))).toBeLessThanOrEqual(MANAGED_POLICY_MAX_CHARS);
    }
  });
});
