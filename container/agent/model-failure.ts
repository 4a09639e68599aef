/**
 * What a failure of the language model means to a caller: a code, whether to try again, and the next step. The
 * service's own message is not passed on (it may quote the conversation or name roles and accounts); it is kept
 * as the cause, of which the log tells name, status and AWS request id.
 */
import { type ErrorCode, isAbortError, isSpeechError, SpeechError } from "../../lib/errors.ts";
import type { BedrockOptions } from "./language-model.ts";

interface Meaning {
  readonly code: ErrorCode;
  readonly message: (model: BedrockOptions) => string;
  readonly retryable?: boolean;
}

const CREDENTIALS_REFUSED: Meaning = {
  code: "ACCESS_DENIED",
  message: () =>
    "AWS refused the agent's credentials; renew them (aws sts get-caller-identity shows who they are)",
};
const THROTTLED: Meaning = {
  code: "THROTTLED",
  message: ({ modelId }) =>
    `Bedrock throttles model ${modelId}; ask again in a while, or raise its quota in Service Quotas`,
};
const UNKNOWN_MODEL: Meaning = {
  code: "LANGUAGE_MODEL_FAILED",
  message: ({ modelId, region }) =>
    `Bedrock has no model ${modelId} in ${region}; set BEDROCK_MODEL_ID to one that aws bedrock list-foundation-models or list-inference-profiles shows there`,
  retryable: false,
};

/** Names: Bedrock Runtime API reference, ConverseStream, "Errors"; the SDK's and Strands' own. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  AccessDeniedException: {
    code: "ACCESS_DENIED",
    message: ({ modelId, region }) =>
      `Bedrock denies model ${modelId} in ${region} to the agent; allow bedrock:InvokeModelWithResponseStream on it and see that the account has access to the model`,
  },
  CredentialsProviderError: {
    code: "ACCESS_DENIED",
    message: () => "the agent found no AWS credentials; give its role some, or log in (aws sso login)",
  },
  UnrecognizedClientException: CREDENTIALS_REFUSED,
  ExpiredTokenException: CREDENTIALS_REFUSED,
  ExpiredToken: CREDENTIALS_REFUSED,
  InvalidSignatureException: CREDENTIALS_REFUSED,
  ThrottlingException: THROTTLED,
  ModelThrottledError: THROTTLED,
  ServiceQuotaExceededException: THROTTLED,
  ResourceNotFoundException: UNKNOWN_MODEL,
  ValidationException: {
    code: "LANGUAGE_MODEL_FAILED",
    message: ({ modelId, region }) =>
      `Bedrock refused the request to model ${modelId} as invalid; see that BEDROCK_MODEL_ID exists in ${region}, and that models served only through an inference profile are named by the profile`,
    retryable: false,
  },
  ContextWindowOverflowError: {
    code: "LANGUAGE_MODEL_FAILED",
    message: () => "the conversation is longer than the language model takes; start a new session",
    retryable: false,
  },
  MaxTokensError: {
    code: "LANGUAGE_MODEL_FAILED",
    message: () => "the answer was cut at the language model's token limit; ask for a shorter one",
    retryable: false,
  },
};

/** The service is there but failed, or the way to it did. */
const FAILED: Meaning = {
  code: "LANGUAGE_MODEL_FAILED",
  message: ({ modelId, region }) => `model ${modelId} in ${region} failed to answer; ask again`,
};
const UNREACHABLE: Meaning = {
  code: "LANGUAGE_MODEL_FAILED",
  message: ({ region }) =>
    `Bedrock in ${region} cannot be reached; check the network and AWS_ENDPOINT_URL_BEDROCK_RUNTIME, then ask again`,
};
const UNREACHABLE_CODES = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** An AbortSignal's own reason and a SpeechError pass through untouched. */
export function toModelFailure(error: unknown, model: BedrockOptions): unknown {
  // Strands wraps what the SDK threw; the innermost name that says something decides.
  let meaning: Meaning | undefined;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Our own credential provider speaks in SpeechErrors already.
    if (isSpeechError(cause)) return cause;
    const code = (cause as { code?: unknown }).code;
    if (Object.hasOwn(MEANINGS, cause.name)) meaning = MEANINGS[cause.name];
    else if (typeof code === "string" && UNREACHABLE_CODES.has(code)) meaning = UNREACHABLE;
  }
  if (!meaning && error instanceof Error && error.name === "AbortError" && isAbortError(error)) return error;
  const { code, message, retryable } = meaning ?? FAILED;
  return new SpeechError(code, message(model), {
    cause: error,
    ...(retryable !== undefined && { retryable }),
  });
}
