/**
 * Cuts a text into pieces of the size language models write: a short word with the space before it, a part of a
 * longer word, up to three digits, one punctuation mark. No vocabulary is needed for that, and the same text
 * always gives the same pieces.
 */

/** Words up to this many letters are one piece, as in the common vocabularies. */
const WHOLE_WORD_CHARS = 7;
/** Pieces of longer words; the spread keeps the rhythm from being even. */
const PIECE_CHARS = [4, 5, 3] as const;

const UNIT = /\s*(?:[\p{L}\p{M}'’]+|\p{N}{1,3}|[^\s\p{L}\p{M}\p{N}])|\s+/gu;

/** Joined again, the pieces are the text. */
export function splitTokens(text: string): string[] {
  return [...text.matchAll(UNIT)].flatMap(([unit]) => splitUnit(unit));
}

function splitUnit(unit: string): string[] {
  const word = unit.trimStart();
  const characters = [...word];
  if (characters.length <= WHOLE_WORD_CHARS) return [unit];
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; ) {
    const wanted = PIECE_CHARS[pieces.length % PIECE_CHARS.length]!;
    const left = characters.length - at;
    const taken = left - wanted < 2 ? left : wanted; // no lonely last letter
    pieces.push(characters.slice(at, at + taken).join(""));
    at += taken;
  }
  pieces[0] = unit.slice(0, unit.length - word.length) + pieces[0];
  return pieces;
}
