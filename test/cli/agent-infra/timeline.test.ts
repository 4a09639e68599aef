import { describe, expect, it } from "vitest";
import { timeline } from "../../../cli/agent-infra/timeline.ts";
import type { TurnEvent } from "../../../lib/bench/metrics.ts";

const RATE_HZ = 1000;
const text = (atMs: number): TurnEvent => ({ type: "text_delta", atMs, chars: 1 });
const audio = (atMs: number, ms: number): TurnEvent => ({ type: "audio_chunk", atMs, samples: ms });
const turn = (name: string, events: TurnEvent[]) => ({ name, events, sampleRateHz: RATE_HZ });

describe("timeline", () => {
  it("draws text and sound on one scale", () => {
    // 15 columns are names; 40 cells for 40 s.
    const picture = timeline(
      [
        turn("bidi", [text(0), audio(5000, 10_000), audio(20_000, 10_000), text(10_000)]),
        turn("batch", [text(0), text(10_000), audio(20_000, 20_000)]),
      ],
      54,
    );
    expect(picture).toEqual([
      "             0 s       10        20        30",
      "bidi  text   ----------",
      "      audio  .....##########.....##########",
      "batch text   ----------",
      "      audio  ....................####################",
      "- text is written   # speech is heard   . silence",
    ]);
  });

  it("gives a sound shorter than a cell its mark", () => {
    const picture = timeline([turn("bidi", [audio(0, 1), audio(60_000, 1)])], 80);
    expect(picture[2]!.match(/#/g)).toHaveLength(2);
  });

  it("draws nothing of turns without text and sound", () => {
    expect(timeline([turn("bidi", [])], 80)).toEqual([]);
  });

  it.each([60, 80, 100])("stays within %i columns whatever the length", (columns) => {
    for (const endMs of [1, 999, 60_000, 3_600_000, 36_000_000]) {
      for (const line of timeline([turn("batch-stream", [text(0), audio(endMs / 2, endMs / 2)])], columns)) {
        expect(line.length).toBeLessThanOrEqual(columns);
      }
    }
  });
});
