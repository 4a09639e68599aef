/**
 * Numbers that both ends of a link must agree on. Each names its source; a deployment's own limits
 * (queue length, longest text) are settings of the container instead.
 */

/** Routes of the container (SageMaker bidirectional streaming contract) and of the agent (AgentCore contract). */
export const PING_PATH = "/ping";
export const INVOCATIONS_PATH = "/invocations";
export const BIDI_PATH = "/invocations-bidirectional-stream";
export const AGENT_WS_PATH = "/ws";

/** Port both contracts fix for a container. */
export const CONTAINER_PORT = 8080;

/** SageMaker lets a container this long to accept a WebSocket, then fails the stream. */
export const ACCEPT_TIMEOUT_MS = 250;
/** SageMaker pings an idle WebSocket this often ... */
export const PING_INTERVAL_MS = 60_000;
/** ... and closes it after so many pongs missed. */
export const MISSED_PONGS_ALLOWED = 5;
/** Longest life of one bidirectional stream. */
export const SESSION_LIMIT_MS = 30 * 60_000;

/** A request whose `request_timestamp` is older than this is refused (SageMaker itself gives up at 60 s). */
export const STALE_AFTER_MS = 56_000;

/** Kokoro's natural range; outside it words are swallowed or smeared. Inclusive. */
export const SPEED_MIN = 0.5;
export const SPEED_MAX = 2.0;
export const SPEED_DEFAULT = 1.0;
export const VOICE_DEFAULT = "af_heart";

/** Rate of the model and of audio on every link unless `sample_rate` asks for another. */
export const SAMPLE_RATE_HZ = 24_000;
/** Rates a caller may ask for: telephone, wide band, the model's own, sound cards. */
export const SAMPLE_RATES_HZ = [8_000, 16_000, 24_000, 48_000] as const;

/** Longest `request_id` taken from a caller; it is echoed in every answer and log line. */
export const REQUEST_ID_MAX_CHARS = 128;
/** Default of the container's longest text (characters); configurable. A 413 beyond it. */
export const TEXT_MAX_CHARS_DEFAULT = 10_000;
/** Longest prompt an agent takes. */
export const PROMPT_MAX_CHARS = 32_000;
/** Largest WebSocket message or HTTP body taken, whatever it holds. */
export const MESSAGE_MAX_BYTES = 1024 * 1024;
/**
 * A WebSocket message above MESSAGE_MAX_BYTES gets an error and its session lives on. To be answered it must be held; beyond
 * this size the connection is closed with 1009 instead, by ws.
 */
export const FRAME_HARD_MAX_BYTES = 4 * MESSAGE_MAX_BYTES;
