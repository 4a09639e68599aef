/**
 * Kokoro reads at most 510 ids at once. A longer phoneme string is cut into pieces that each fit, at the best
 * place in reach: after the end of a sentence, else after a clause mark, else between words, else anywhere.
 * No phoneme is lost: the pieces joined are the input, but for spaces at their seams.
 *
 * Works on phonemes, after espeak-ng has read the whole text, so that a cut cannot change how a word is read.
 */
import { TOKENS_MAX, tokenIdOf, toTokenIds } from "./vocabulary.ts";

/** Rank of a cut after this symbol; higher is better. A symbol not listed is no place to cut. */
const CUT_RANK: ReadonlyMap<string, number> = new Map([
  ...[...".!?…"].map((mark) => [mark, 3] as const),
  ...[...";:,—”)"].map((mark) => [mark, 2] as const),
  [" ", 1],
]);
/** A better mark is taken only in this last part of the window, or a full stop early in it would waste the rest. */
const SEARCH_FRACTION = 0.6;

/**
 * @param phonemes only symbols of the vocabulary count; others are dropped.
 * @returns ids of each piece without pads, 1-`tokensMax` long. Empty for a string with nothing to say.
 */
export function splitTokens(phonemes: string, tokensMax = TOKENS_MAX): number[][] {
  let symbols = [...phonemes].filter((symbol) => tokenIdOf(symbol) !== undefined);
  const pieces: number[][] = [];
  while (symbols.length > tokensMax) {
    const cut = bestCut(symbols, tokensMax);
    pushPiece(pieces, symbols.slice(0, cut));
    symbols = symbols.slice(cut);
  }
  pushPiece(pieces, symbols);
  return pieces;
}

/** How many symbols the next piece takes, 1-`tokensMax`. */
function bestCut(symbols: readonly string[], tokensMax: number): number {
  const from = Math.floor(tokensMax * (1 - SEARCH_FRACTION));
  let best = tokensMax;
  let bestRank = 0;
  for (let index = tokensMax - 1; index >= from; index--) {
    const rank = CUT_RANK.get(symbols[index]!) ?? 0;
    if (rank > bestRank) {
      bestRank = rank;
      best = index + 1;
    }
  }
  return best;
}

function pushPiece(pieces: number[][], symbols: readonly string[]): void {
  // A mark on its own would be read as a sound that nobody wrote.
  if (!symbols.some((symbol) => /[\p{L}\p{M}]/u.test(symbol))) return;
  pieces.push(toTokenIds(symbols.join("").trim()));
}
