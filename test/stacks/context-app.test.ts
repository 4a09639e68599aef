/** The app that `cdk` starts: what the context says is what a command's flags say. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CONTEXT_KEYS } from "../../stacks/app-context.ts";
import { contextApp } from "../../stacks/context-app.ts";
import { agent, PLACE, speech, synthesize } from "../helpers/synthesized-apps.ts";

const app = (context: Record<string, unknown>) =>
  synthesize((outdir) => contextApp(PLACE, { context, outdir }));

it("has a side when its image is named", () => {
  const names = (context: Record<string, unknown>) => app(context).stacks.map(({ stackName }) => stackName);
  expect(names({ imageTag: "0123abcd" })).toEqual(speech().stacks.map(({ stackName }) => stackName));
  expect(names({ agentImageTag: "4567cdef", stage: "dev" })).toEqual([
    "dev-voice-agent-foundation",
    "dev-voice-agent-runtime",
  ]);
  expect(names({ imageTag: "0123abcd", agentImageTag: "4567cdef" })).toHaveLength(5);
});

it("makes the very templates that the commands make", () => {
  const { text } = app({
    imageTag: "0123abcd",
    minInstances: "2",
    scaleOn: "invocations",
    logRetentionDays: 7,
  });
  expect(text).toBe(
    speech({ minInstances: 2, scaleOn: "invocations", options: { logRetentionDays: 7 } }).text,
  );
  const agentContext = { agentImageTag: "4567cdef", bedrockModelId: "eu.amazon.nova-lite-v1:0" };
  expect(app(agentContext).text).toBe(agent().text);
});

it("lets the agent speak with the endpoint of its stage", () => {
  expect(app({ agentImageTag: "1", stage: "dev", model: "kokoro-82m-cpu" }).text).toContain(
    ":endpoint/dev-speech-kokoro-82m-cpu",
  );
});

it("takes the keys that docs/cdk.md lists", () => {
  const document = readFileSync(new URL("../../docs/cdk.md", import.meta.url), "utf8");
  const keys = [...document.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key);
  expect(keys).toEqual(CONTEXT_KEYS);
});

describe("it fails for", () => {
  it.each([
    [{}, "no image is named"],
    [{ imageTag: "1", scaleOn: "cpu" }, 'scaleOn must be concurrency or invocations, got "cpu"'],
    [{ imageTag: "1", minInstances: "two" }, 'minInstances must be a whole number, got "two"'],
    [{ imageTag: "1", model: "kokoro" }, 'unknown model "kokoro"'],
  ])("%j", (context, words) => {
    expect(() => app(context)).toThrow(words);
  });
});
