import { expect, it } from "vitest";
import { chunkerTable } from "../../../cli/speech-bench/text-run.ts";

it("shows who gets how many right, and how fast", () => {
  const result = { wrongByKind: {}, charactersPerSecond: 12_345_678 };
  expect(
    chunkerTable(
      [
        { ...result, name: "ours", right: 363, megabytesPerSecond: 13.42 },
        { ...result, name: "another", right: 9, charactersPerSecond: 17_000, megabytesPerSecond: 0.0191 },
      ],
      363,
    ),
  ).toEqual([
    "         right of 363  characters/s  MB/s",
    "ours     363           12,345,678    13.4",
    "another  9             17,000        0.019",
  ]);
});
