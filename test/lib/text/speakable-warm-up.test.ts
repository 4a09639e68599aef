import { expect, it } from "vitest";
import { warmUpSpeakableText } from "../../../lib/text/speakable-warm-up.ts";

it("goes through every language without a fault, as often as it is asked", async () => {
  await expect(Promise.all([warmUpSpeakableText(), warmUpSpeakableText()])).resolves.toBeDefined();
});
