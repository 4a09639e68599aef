import { describe, expect, it } from "vitest";
import { agentNames, speechNames } from "../../../../lib/config/deployment-names.ts";
import {
  AGENT_TYPES,
  agentCloudFormation,
  SPEECH_TYPES,
  speechCloudFormation,
} from "../../../../lib/deploy/permissions/cloudformation.ts";
import {
  MANAGED_POLICY_MAX_CHARS,
  policyChars,
  policyDocument,
} from "../../../../lib/deploy/permissions/policy.ts";
import { RESOURCE_TYPE_ACTIONS } from "../../../../lib/deploy/permissions/resource-types.ts";
import { agent, PLACE, type SynthesizedApp, speech } from "../../../helpers/synthesized-apps.ts";

const SPEECH = speechCloudFormation(speechNames("kokoro-82m", "main"), PLACE);
const AGENT = agentCloudFormation(agentNames("main"), PLACE);
const typesOf = ({ resources }: SynthesizedApp) =>
  [...new Set([...resources.values()].map(({ Type }) => Type))].sort();

describe("CloudFormation's policy", () => {
  it("knows every type of resource in the templates, and no other", () => {
    expect([...SPEECH_TYPES].sort()).toEqual(typesOf(speech()));
    expect([...AGENT_TYPES].sort()).toEqual(typesOf(agent()));
  });

  it.each([
    ["speech", SPEECH, SPEECH_TYPES],
    ["agent", AGENT, AGENT_TYPES],
  ] as const)("of %s allows all that its types need", (_side, permissions, types) => {
    const allowed = new Set(permissions.flatMap(({ actions }) => actions));
    const needed = types.flatMap((type): readonly string[] => RESOURCE_TYPE_ACTIONS[type]);
    expect(needed.filter((action) => !allowed.has(action))).toEqual([]);
    expect(permissions.every(({ actions }) => actions.length > 0)).toBe(true);
  });

  it("hands roles on only to the services that run in them", () => {
    const passed = SPEECH.find(({ sid }) => sid === "PassRoles");
    expect(passed?.conditions).toEqual({
      StringEquals: { "iam:PassedToService": ["sagemaker.amazonaws.com", "codebuild.amazonaws.com"] },
    });
    expect(passed?.resources).toContain("arn:aws:iam::123456789012:role/speech-kokoro-82m-founda*");
  });

  it("deletes nothing that destroy keeps", () => {
    const actions = [...SPEECH, ...AGENT].flatMap((permission) => permission.actions);
    expect(actions).not.toContain("s3:DeleteBucket");
    expect(actions).not.toContain("ecr:DeleteRepository");
    expect(actions).not.toContain("logs:DeleteLogGroup");
  });

  it("fits into one managed policy", () => {
    for (const permissions of [
      speechCloudFormation(speechNames("kokoro-82m-cpu", "stage123"), PLACE),
      agentCloudFormation(agentNames("stage123"), PLACE),
    ]) {
      expect(policyChars(policyDocument(permissions))).toBeLessThanOrEqual(MANAGED_POLICY_MAX_CHARS);
    }
  });

  it("has a name of its own for each statement", () => {
    for (const permissions of [SPEECH, AGENT]) {
      const sids = policyDocument(permissions).Statement.map(
        (statement) => (statement as { Sid: string }).Sid,
      );
      expect(new Set(sids).size).toBe(sids.length);
    }
  });
});
