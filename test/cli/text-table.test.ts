import { describe, expect, it } from "vitest";
import { textTable } from "../../cli/text-table.ts";

describe("a text table", () => {
  it("has columns as wide as their widest cell, and no blanks at the ends of lines", () => {
    expect(
      textTable([
        ["stack", "state"],
        ["speech-kokoro-82m", "CREATE_COMPLETE"],
        ["", "x"],
      ]),
    ).toEqual(["stack              state", "speech-kokoro-82m  CREATE_COMPLETE", "                   x"]);
  });

  it("takes rows of different lengths, and none at all", () => {
    expect(textTable([["a"], ["b", "c"]])).toEqual(["a", "b  c"]);
    expect(textTable([])).toEqual([]);
  });
});
