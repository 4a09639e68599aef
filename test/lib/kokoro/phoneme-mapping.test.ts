import { describe, expect, it } from "vitest";
import { toKokoroPhonemes } from "../../../lib/kokoro/phoneme-mapping.ts";

describe("toKokoroPhonemes", () => {
  it("joins the units of a word and the words of clauses", () => {
    expect(toKokoroPhonemes("ð_ə l_ˈeɪ_z_i | d_ˈɑː_ɡ", "en-us")).toBe("ðə lˈeɪzi dˈɑːɡ");
  });

  it("keeps English diphthongs and affricates as they are, and folds what the model does not know", () => {
    expect(toKokoroPhonemes("dʒ_ˈaɪ r_x_ɬ_ʲ", "en-us")).toBe("dʒˈaɪ ɹklj");
  });

  it("writes a vowel before a consonant that is a syllable", () => {
    expect(toKokoroPhonemes("b_ˈʌ_ʔ_n̩", "en-us")).toBe("bˈʌʔᵊn");
  });

  it("uses Kokoro's letters in other languages, but only for sounds that are one unit", () => {
    expect(toKokoroPhonemes("tʃ_ˈa_o", "it")).toBe("ʧˈao");
    expect(toKokoroPhonemes("t_ʃ_ˈa_ɪ", "it")).toBe("tʃˈaɪ");
    expect(toKokoroPhonemes("p_ˈi_tsː_a", "it")).toBe("pˈiʦːa");
  });

  it("parts a nasal vowel from its tilde, however it is written", () => {
    expect(toKokoroPhonemes("ɔ̃ õ", "fr")).toBe("ɔ\u0303 o\u0303");
    expect(toKokoroPhonemes("ç", "fr")).toBe("ç");
  });

  it("drops the marks of a change of language and joining hyphens", () => {
    expect(toKokoroPhonemes("_(en)_h_ə_l_ˈəʊ_(es) ʒ_ə-", "es")).toBe("həlˈQ ʒə");
  });
});
