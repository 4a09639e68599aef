import { describe, expect, it } from "vitest";
import { keptLines } from "../../cli/destruction-run.ts";

describe("keptLines", () => {
  it("name what is kept, its size and cost, and the command that deletes it", () => {
    expect(
      keptLines(
        [
          { kind: "bucket", name: "weights", sizeBytes: 354_000_000, usdPerMonth: 0.008 },
          { kind: "repository", name: "speech", sizeBytes: 4_100_000_000, usdPerMonth: 0.41 },
        ],
        "speech-infra destroy kokoro-82m --stage dev",
      ),
    ).toEqual([
      "Kept for the next deployment (us-east-1 prices; remembered, not fetched):",
      "  bucket      weights  354 MB  under $0.01 a month",
      "  repository  speech   4.1 GB  $0.41 a month",
      "Together $0.42 a month. To delete them: speech-infra destroy kokoro-82m --stage dev --purge",
    ]);
  });

  it("are none where nothing is kept", () => {
    expect(keptLines([], "x")).toEqual([]);
  });
});
