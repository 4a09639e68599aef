/** How much a bidirectional stream may hold, and how long it may wait. */
import { SESSION_LIMIT_MS } from "../../protocol/limits.ts";
import { FRAME_MAX_BYTES_DEFAULT } from "./event-stream.ts";
import type { ConnectionLimits } from "./http2-connection.ts";

export interface BidiLimits extends ConnectionLimits {
  /** Silence of both sides after which the stream counts as forgotten. Above SageMaker's 30 minutes. */
  readonly idleTimeoutMs: number;
  /** Largest event taken. */
  readonly frameMaxBytes: number;
}

/** 256 KiB is 5.4 s of speech (48,000 bytes a second): enough for any round trip, little enough to hold. */
export const BIDI_LIMITS_DEFAULT: BidiLimits = {
  connectTimeoutMs: 10_000,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 20_000,
  windowBytes: 256 * 1024,
  idleTimeoutMs: SESSION_LIMIT_MS + 60_000,
  frameMaxBytes: FRAME_MAX_BYTES_DEFAULT,
};
