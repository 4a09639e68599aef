/** What a caller hears while weights are fetched and prepared. lib/model prints nothing itself. */

export interface ModelProgress {
  /** `wait`: another process is at it. `prepare`: the graph is rewritten, once. */
  readonly phase: "wait" | "download" | "verify" | "prepare";
  /** Name for people, e.g. `onnx/model.onnx`. */
  readonly file: string;
  readonly receivedBytes: number;
  /** 0 where the phase has no length. */
  readonly totalBytes: number;
}

export type OnModelProgress = (progress: ModelProgress) => void;

/** What every step of fetching is given. */
export interface FetchContext {
  readonly signal: AbortSignal;
  readonly onProgress: OnModelProgress;
}
