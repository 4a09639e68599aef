import { describe, expect, it } from "vitest";
import { explained } from "../../../cli/speech-infra/explain-run.ts";

describe("explained", () => {
  it("shows text, what is said and phonemes under each other", () => {
    expect(explained({ text: "It is $5.", spoken: "It is five dollars.", phonemes: "ɪt" }, 0)).toEqual([
      "  1  It is $5.",
      "     It is five dollars.",
      "     /ɪt/",
    ]);
  });

  it("leaves out what does not differ, and says what is not heard", () => {
    expect(explained({ text: "Hi\nyou.", spoken: "Hi\nyou.", phonemes: "hˈaɪ" }, 9)).toEqual([
      " 10  Hi you.",
      "     /hˈaɪ/",
    ]);
    expect(explained({ text: "```js", spoken: "", phonemes: "" }, 1)).toEqual([
      "  2  ```js",
      "     (not heard)",
    ]);
  });
});
