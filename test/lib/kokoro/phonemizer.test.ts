import { beforeAll, describe, expect, it } from "vitest";
import { Phonemizer } from "../../../lib/kokoro/phonemizer.ts";
import { tokenIdOf } from "../../../lib/kokoro/vocabulary.ts";
import { findVoice } from "../../../lib/kokoro/voices.ts";

let phonemizer: Phonemizer;
beforeAll(async () => {
  phonemizer = await Phonemizer.load();
});
const read = (text: string, voice = "af_heart") => phonemizer.phonemize(text, findVoice(voice));

describe("phonemizer", () => {
  it("reads English with its punctuation", () => {
    expect(read("Hello, world! Is it true?")).toBe("həlˈoʊ, wˈɜːld! ɪz ɪt tɹˈuː?");
    expect(read("Six; two: three. Four…")).toBe("sˈɪks; tˈuː: θɹˈiː. fˈɔːɹ…");
  });

  it("tells British from American", () => {
    expect(read("bath", "bf_emma")).toBe("bˈɑːθ");
    expect(read("bath", "af_heart")).toBe("bˈæθ");
  });

  it.each([
    ["3.50", "θɹˈiː pɔɪnt fˈaɪv zˈiəɹoʊ"],
    ["at 10:30.", "æt tˈɛn θˈɜːɾi."],
    ["3,500 pears", "θɹˈiː θˈaʊzənd fˈaɪvhˈʌndɹɪd pˈɛɹz"],
    ["example.com, now", "ɛɡzˈæmpəl dˈɑːt kˈɑːm, nˈaʊ"],
  ])("leaves a mark inside %j to its word", (text, phonemes) => expect(read(text)).toBe(phonemes));

  it("makes no pause after a title, nor inside initials", () => {
    expect(read("Dr. Smith met Mr. Jones.")).toBe("dˈɑːktɚ smˈɪθ mˈɛt mˈɪstɚ dʒˈoʊnz.");
    expect(read("In the U.S. today.")).not.toContain("ɛs.");
    expect(read("In the U.S.")).toMatch(/ɛs\.$/);
  });

  it("keeps quotes, brackets and dashes in the model's own signs", () => {
    expect(read('She said "no" (twice) - loudly -- again.')).toBe(
      "ʃiː sˈɛd “nˈoʊ” (twˈaɪs) — lˈaʊdli — ɐɡˈɛn.",
    );
    expect(read("don’t")).toBe(read("don't"));
  });

  it.each(["", " ", "...", "?!", "😀 — …", "***"])("has nothing to say for %j", (text) => {
    expect(read(text)).toBe("");
  });

  it.each([
    ["ef_dora", "¡Hola, buenos días! ¿Qué tal?", "ˈola, bwˈenos ðˈias! kˈe tˈal?"],
    ["ff_siwis", "Bonjour, ça va ?", "bɔ̃ʒˈuʁ, sa vˈa?"],
    ["if_sara", "Ciao, la pizza.", "ʧˈao, la pˈiʦːa."],
    ["hf_alpha", "नमस्ते दुनिया।", "nəmˈʌsteː dˈʊnɪjˌaː."],
    ["jf_alpha", "hello", "həlˈoʊ"],
    ["zf_xiaobei", "hello", "həlˈoʊ"],
  ])("%s reads %s", (voice, text, phonemes) => {
    expect(read(text, voice)).toBe(phonemes.normalize("NFD").replaceAll("c\u0327", "ç"));
  });

  it("writes only what the model knows, in every language", () => {
    const texts: Record<string, string> = {
      af_heart:
        "The thing that she measured, a joyful vision of high nature, was uncertain: bottle, button, Bach.",
      bf_emma:
        "The thing that she measured, a joyful vision of high nature, was uncertain: bottle, beer, hair.",
      ef_dora: "El niño pequeño juega en el jardín con la guitarra de su abuela, y llueve mucho.",
      ff_siwis: "Un garçon bien élevé mange une orange à l'ombre du grand chêne vert, aujourd'hui.",
      hf_alpha: "भारत एक विशाल देश है, जहाँ अनेक भाषाएँ बोली जाती हैं।",
      if_sara: "Gli amici mangiano gnocchi e zucchine nella città, poi escono.",
      pf_dora: "A mãe não tem coração, mas o menino tem muitas maçãs e lê bem à noite.",
    };
    for (const [voice, text] of Object.entries(texts)) {
      const unknown = [...read(text, voice)].filter((symbol) => tokenIdOf(symbol) === undefined);
      expect(unknown, voice).toEqual([]);
    }
  });

  it.each([
    ["jf_alpha", "こんにちは"],
    ["jf_alpha", "Hello 世界"],
    ["zf_xiaobei", "你好"],
    ["af_heart", "東京は大きい"],
    ["af_heart", "привет, мир"],
    ["ef_dora", "नमस्ते"],
  ])("fails for %s with the script of %s", (voice, text) => {
    expect(() => read(text, voice)).toThrow(expect.objectContaining({ code: "LANGUAGE_NOT_SUPPORTED" }));
    expect(() => read(text, voice)).not.toThrow(text);
  });

  it("reads a foreign word within a sentence that it can read", () => {
    expect(read("The Greek letter π is nice, 東京 is Tokyo")).toMatch(/^ðə ɡɹˈiːk lˈɛɾɚ pˈaɪ/);
  });

  it("takes a pronunciation as it is given, and what hangs on it", () => {
    expect(read("Hello [Kokoro](/kˈOkəɹO/), you.")).toBe("həlˈoʊ kˈOkəɹO, juː.");
    expect(read("[Kokoro](/kˈOkəɹO/)'s end")).toBe("kˈOkəɹOz ˈɛnd");
    expect(read("[東京](/tˈOkiO/)")).toBe("tˈOkiO");
    expect(read("Two T.V.'s.")).toBe("tˈuː tˌiːvˈiːz.");
  });

  it("loses no word of a sentence to a NUL", () => expect(read("one\0two")).toBe(read("one two")));

  it("gives the same whatever it read before", () => {
    const first = read("The apple fell.");
    read("¿Qué tal?", "ef_dora");
    read("bath", "bf_emma");
    expect(read("The apple fell.")).toBe(first);
  });

  it("takes a long text of marks, spaces and initials in little time", () => {
    const start = performance.now();
    read(`a${" ".repeat(20_000)}b`);
    read("a.b. ".repeat(4_000));
    read('"(-.'.repeat(4_000));
    expect(performance.now() - start).toBeLessThan(5_000); // seconds of slack: quadratic work takes minutes
  });
});
