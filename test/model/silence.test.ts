/** What is left out of a sentence is silence, in loud voices and in whispered ones; and sentences do not drift apart. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ENGINE_CLIPS } from "../../lib/bench/engine-clips.ts";
import { readTexts } from "../../lib/bench/speaker-texts.ts";
import { FRAME_SAMPLES } from "../../lib/kokoro/encoding.ts";
import { keptFrames } from "../../lib/kokoro/silence.ts";
import { SplitModel } from "../../lib/kokoro/split-model.ts";
import { VoicePack } from "../../lib/kokoro/voice-pack.ts";
import { MODEL_DIR } from "./model-under-test.ts";

/** -46 dB of full scale. */
const SOUND_FROM = 0.005;
const TEXTS = [...ENGINE_CLIPS.slice(0, 6), "Fish and chips", "Is it far?", "Stop!", "Hush", "Who?"];

describe.skipIf(!MODEL_DIR)("silence at head and tail", () => {
  let model: SplitModel;
  beforeAll(async () => {
    model = await SplitModel.load(join(MODEL_DIR!, "encoder.onnx"), join(MODEL_DIR!, "decoder.onnx"), 2);
  });
  afterAll(() => model.close());

  it.each(["af_heart", "am_michael", "bf_emma", "af_nicole", "am_puck"])("of %s is silent", async (voice) => {
    const pack = await VoicePack.read(join(MODEL_DIR!, "voices", `${voice}.bin`));
    for (const { text, ids } of await readTexts(TEXTS)) {
      const encoding = await model.encode(ids, pack.styleFor(ids.length), 1);
      const samples = await model.decode(encoding, 0, encoding.frames);
      const { from, to } = keptFrames(encoding);
      const isSound = (sample: number) => Math.abs(sample) >= SOUND_FROM;
      const cut = [samples.subarray(0, from * FRAME_SAMPLES), samples.subarray(to * FRAME_SAMPLES)];
      expect(
        cut.map((part) => part.filter(isSound).length),
        text,
      ).toEqual([0, 0]);
      const first = samples.findIndex(isSound) - from * FRAME_SAMPLES;
      expect(first / 24, text).toBeLessThan(200); // ms of silence that are kept in front
    }
  });
});
