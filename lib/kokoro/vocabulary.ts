/**
 * Symbol -> token id of Kokoro-82M v1.0. Phonemes are the IPA that misaki writes (capitals stand for diphthongs:
 * A eɪ, I aɪ, O oʊ, Q əʊ, W aʊ, Y ɔɪ; S and T for Japanese s and the American flap), with stress and punctuation.
 *
 * Source: `vocab` in config.json of huggingface.co/hexgrad/Kokoro-82M (Apache-2.0); the same table is in
 * kokoro-onnx 0.6.1, kokoro_onnx/config.json. Ids left out there are not used by the model.
 */

/** Symbols by id; the table is written in id order so that it can be held against its source line by line. */
const SYMBOLS: readonly (readonly [id: number, symbols: string])[] = [
  [1, ";:,.!?"],
  [9, '—…"()“” '],
  [17, "\u0303ʣʥʦʨᵝꭧAI"],
  [31, "O"],
  [33, "Q"],
  [35, "ST"],
  [39, "W"],
  [41, "Yᵊabcdef"],
  [50, "hijklmnopqrstuvwxyzɑɐɒæ"],
  [75, "βɔɕç"],
  [80, "ɖðʤə"],
  [85, "ɚɛɜ"],
  [90, "ɟ"],
  [92, "ɡ"],
  [99, "ɥ"],
  [101, "ɨɪʝ"],
  [110, "ɯɰŋɳɲɴø"],
  [118, "ɸθœ"],
  [123, "ɹ"],
  [125, "ɾɻ"],
  [128, "ʁɽʂʃʈʧ"],
  [135, "ʊʋ"],
  [138, "ʌɣɤ"],
  [142, "χʎ"],
  [147, "ʒʔ"],
  [156, "ˈˌː"],
  [162, "ʰ"],
  [164, "ʲ"],
  [169, "↓"],
  [171, "→↗↘"],
  [177, "ᵻ"],
];

const ID_BY_SYMBOL: ReadonlyMap<string, number> = new Map(
  SYMBOLS.flatMap(([first, symbols]) =>
    [...symbols].map((symbol, offset) => [symbol, first + offset] as const),
  ),
);

/** Stands at both ends of every input; it is no phoneme. */
export const PAD_ID = 0;
/** Most ids between the two pads: the model's text encoder has 512 positions. */
export const TOKENS_MAX = 510;

export const VOCABULARY_SYMBOLS: readonly string[] = [...ID_BY_SYMBOL.keys()];

export function tokenIdOf(symbol: string): number | undefined {
  return ID_BY_SYMBOL.get(symbol);
}

/** Ids of a phoneme string, without pads. Symbols that the model does not know are left out. */
export function toTokenIds(phonemes: string): number[] {
  const ids: number[] = [];
  for (const symbol of phonemes) {
    const id = ID_BY_SYMBOL.get(symbol);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}
