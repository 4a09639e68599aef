import { describe, expect, it } from "vitest";
import { simulatePlayback, type TurnEvent, turnMetrics } from "../../../lib/bench/metrics.ts";

const RATE_HZ = 24_000;
/** A chunk of `seconds` that arrived at `atMs`. */
const audio = (atMs: number, seconds: number): TurnEvent => ({
  type: "audio_chunk",
  atMs,
  samples: seconds * RATE_HZ,
});
const text = (atMs: number, chars: number): TurnEvent => ({ type: "text_delta", atMs, chars });
const event = (type: TurnEvent["type"], atMs: number): TurnEvent => ({ type, atMs });

describe("turnMetrics", () => {
  it("computes a whole turn by hand", () => {
    const events = [
      event("agent_start", 0),
      text(500, 4),
      event("audio_stream_start", 800),
      audio(900, 1), // plays 900-1900
      text(1000, 20),
      audio(1500, 0.5), // queued: 1900-2400
      audio(2650, 1), // late by 250: plays 2650-3650
      event("audio_stream_end", 2700),
      event("agent_end", 2710),
    ];
    expect(turnMetrics(events, RATE_HZ)).toEqual({
      firstTextMs: 500,
      firstAudioMs: 900,
      stallMs: 250,
      stalls: 1,
      endMs: 2710,
      audioSeconds: 2.5,
      chunks: 3,
    });
  });

  it("has no first audio and no stall when nothing was spoken", () => {
    const metrics = turnMetrics([event("agent_start", 0), text(5, 3), event("agent_end", 9)], RATE_HZ);
    expect(metrics).toMatchObject({ firstAudioMs: null, stallMs: 0, audioSeconds: 0, chunks: 0, endMs: 9 });
  });

  it("ignores empty text and empty audio when looking for the first", () => {
    const metrics = turnMetrics([text(1, 0), text(2, 1), audio(3, 0), audio(4, 1)], RATE_HZ);
    expect(metrics).toMatchObject({ firstTextMs: 2, firstAudioMs: 4, chunks: 1 });
  });

  it("ends with the last event when the turn broke off", () => {
    expect(turnMetrics([event("agent_start", 0), audio(40, 1), event("error", 70)], RATE_HZ).endMs).toBe(70);
  });

  it("takes the rate that was announced", () => {
    expect(turnMetrics([{ type: "audio_chunk", atMs: 0, samples: 8000 }], 8000).audioSeconds).toBe(1);
  });
});

describe("simulatePlayback", () => {
  it("counts no silence before the first and after the last chunk", () => {
    expect(simulatePlayback([audio(5000, 0.1)], RATE_HZ)).toEqual({ stallMs: 0, stalls: 0 });
  });

  it("counts no silence when a chunk comes just as the last one ends", () => {
    expect(simulatePlayback([audio(100, 0.5), audio(600, 0.5)], RATE_HZ).stalls).toBe(0);
  });

  it("does not let a stall be paid back by audio that comes early later", () => {
    // 0-100, silence to 300, 300-1300; the third waits in the buffer.
    expect(simulatePlayback([audio(0, 0.1), audio(300, 1), audio(310, 1)], RATE_HZ)).toEqual({
      stallMs: 200,
      stalls: 1,
    });
  });

  it("lets early audio cover a later pause", () => {
    expect(simulatePlayback([audio(0, 1), audio(1, 1), audio(1999, 1)], RATE_HZ).stallMs).toBe(0);
  });

  it("adds up several stalls", () => {
    const chunks = [audio(0, 0.1), audio(200, 0.1), audio(400, 0.1)];
    expect(simulatePlayback(chunks, RATE_HZ)).toEqual({ stallMs: 200, stalls: 2 });
  });

  it("finds no stall in many chunks that come exactly in time", () => {
    const chunks = Array.from({ length: 5000 }, (_, i) => audio((i * 1000) / 30, 1 / 30));
    expect(simulatePlayback(chunks, RATE_HZ).stalls).toBe(0);
  });
});
