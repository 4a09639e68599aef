/** The examples of the documents are messages that lib/protocol reads. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readAgentEvent, readAgentPayload } from "../../../lib/protocol/agent-events.ts";
import { readInvocation } from "../../../lib/protocol/invocations.ts";
import { RefusedMessage, readCallerMessage, readContainerPart } from "../../../lib/protocol/messages.ts";
import { fromWireError } from "../../../lib/protocol/wire-errors.ts";
import { protocolFixtures } from "../../helpers/protocol-fixtures.ts";

/** Each throws, or fails an expectation, when the example is not what its label says. */
const READERS: Record<string, (json: string) => void> = {
  caller: (json) => expect(readCallerMessage(json)).not.toBeInstanceOf(RefusedMessage),
  container: (json) => expect(["message", "model-stream-error"]).toContain(readContainerPart(json).kind),
  invocation: (json) => readInvocation(json),
  "invocation-event": (json) => expect(shapesOfEvents()).toContain(shapeOf(JSON.parse(json))),
  "error-body": (json) => {
    const { error } = JSON.parse(json);
    expect(fromWireError(error).code).toBe(error.code);
  },
  "agent-payload": (json) => readAgentPayload(JSON.parse(json)),
  "agent-event": (json) => expect(readAgentEvent(json)).toEqual(JSON.parse(json)),
};

/** What no reader of ours takes in is compared with the fixtures that the container's tests use. */
function shapesOfEvents(): string[] {
  const events = [...protocolFixtures("response", "invocation"), ...protocolFixtures("error", "invocation")];
  return events.map(({ value }) => shapeOf(value));
}

function shapeOf(value: Record<string, unknown>): string {
  return `${value.type}: ${Object.keys(value).sort().join(" ")}`;
}

/** One message a line, or one a block. */
function examplesOf(document: string): { label: string; json: string }[] {
  const text = readFileSync(new URL(`../../../docs/${document}`, import.meta.url), "utf8");
  return [...text.matchAll(/^```json(?: ([\w-]+))?\n([\s\S]*?)^```$/gm)].flatMap(
    ([, label = "container", block]) => {
      const lines = block!.trim().split("\n");
      const messages = lines.every((line) => line.startsWith("{") && line.endsWith("}")) ? lines : [block!];
      return messages.map((json) => ({ label, json }));
    },
  );
}

describe.each(["protocol.md", "errors.md"])("docs/%s", (document) => {
  it.each(examplesOf(document))("$label: $json", ({ label, json }) => {
    const read = READERS[label];
    expect(read, `no reader is called ${label}`).toBeDefined();
    read!(json);
  });
});

describe("docs/protocol.md", () => {
  const examples = examplesOf("protocol.md");

  it("has an example of every kind", () => {
    expect([...new Set(examples.map(({ label }) => label))].sort()).toEqual(Object.keys(READERS).sort());
  });

  it("shows every type of message that the fixtures have, save extensions", () => {
    const typesIn = (values: Record<string, unknown>[]) => new Set(values.map(({ type }) => type));
    const shown = typesIn(examples.map(({ json }) => JSON.parse(json)));
    const known = [
      ...protocolFixtures("request"),
      ...protocolFixtures("response"),
      ...protocolFixtures("error"),
    ]
      .filter(({ name }) => !name.endsWith("-extension"))
      .map(({ value }) => value);
    for (const type of typesIn(known)) expect(shown).toContain(type);
  });
});
