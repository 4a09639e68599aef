import { expect, it } from "vitest";
import { requireSpeechModel, SPEECH_MODEL_IDS } from "../../../lib/config/speech-catalog.ts";

it("finds each of the catalog's models by its name", () => {
  for (const id of SPEECH_MODEL_IDS) expect(requireSpeechModel(id).id).toBe(id);
});

it.each([
  ["kokoro-82", "kokoro-82m"],
  ["kokoro82m", "kokoro-82m"],
  ["Kokoro-82M", "kokoro-82m"],
  ["kokoro-82m-gpu", "kokoro-82m-cpu"],
  ["", "kokoro-82m"],
])("fails for %j with the nearest name, %s", (id, nearest) => {
  expect(() => requireSpeechModel(id)).toThrow(
    `unknown model "${id}"; nearest is ${nearest}; speech-infra list shows them all`,
  );
});
