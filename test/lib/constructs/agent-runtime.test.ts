/** AgentCore's rule for names is kept before anything is asked of it. */
import { expect, it } from "vitest";
import { agentNames } from "../../../lib/config/deployment-names.ts";
import { requireRuntimeName } from "../../../lib/constructs/agent-runtime.ts";

it.each(["main", "a", "dev", "abcdefgh"])("the name of the stage %s is allowed", (stage) => {
  const { runtime } = agentNames(stage);
  expect(requireRuntimeName(runtime)).toBe(runtime);
});

it.each(["", "voice-agent", "1agent", "_agent", "a".repeat(49)])("fails for %j", (name) => {
  expect(() => requireRuntimeName(name)).toThrow(/^a runtime's name must be 1 to 48 letters/);
});
