/** How an IncrementalSentenceChunker cuts beyond the ends of sentences. */
export interface ChunkerOptions {
  /** Longest piece; longer runs are cut at a clause, dash, bracket or space (one longer word: at twice this). */
  readonly maxChars?: number;
  /** The first piece of a turn may end at a clause mark once it is this long. Default: off. */
  readonly firstPieceMaxChars?: number;
  /** A sentence shorter than this is joined to the next one, unless its paragraph ends. Default: off. */
  readonly minChars?: number;
}

const MAX_CHARS_DEFAULT = 400;
const MAX_CHARS_LEAST = 16;

export function withDefaults(options: ChunkerOptions): Required<ChunkerOptions> {
  return {
    maxChars: Math.max(MAX_CHARS_LEAST, options.maxChars ?? MAX_CHARS_DEFAULT),
    firstPieceMaxChars: options.firstPieceMaxChars ?? Number.POSITIVE_INFINITY,
    minChars: options.minChars ?? 0,
  };
}
