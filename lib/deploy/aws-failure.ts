/**
 * What AWS's refusals mean for the person at the keyboard. One translator for all that lib/deploy asks of AWS: the
 * words name the IAM action that was asked for, so that a missing permission can be added without a search.
 */
import { expiredCredentials } from "../client/sagemaker/credentials.ts";
import { isAbortError, isSpeechError, SpeechError } from "../errors.ts";

const EXPIRED = /^(ExpiredToken(Exception)?|RequestExpired|TokenRefreshRequired)$/;
const UNKNOWN_KEYS =
  /^(UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|AuthFailure|InvalidToken)$/;
const BAD_SIGNATURE =
  /^(SignatureDoesNotMatch|InvalidSignatureException|IncompleteSignature|RequestTimeTooSkewed)$/;
const DENIED = /^(AccessDenied(Exception)?|UnauthorizedOperation|NotAuthorized|UnauthorizedException)$/;
const THROTTLED = /^(Throttling(Exception)?|TooManyRequestsException|RequestLimitExceeded|SlowDown)$/;
const UNREACHABLE =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)$/;

/** @param action as IAM names it: `s3:PutObject`. */
export async function asking<Answer>(
  action: string,
  region: string,
  signal: AbortSignal,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call();
  } catch (cause) {
    signal.throwIfAborted();
    throw awsFailure(cause, action, region);
  }
}

/** Of an error that nobody has translated: an exception of a service in our words, anything else as it is. */
export function untranslated(error: unknown): unknown {
  if (httpStatus(error) === undefined) return error;
  const message = error instanceof Error ? error.message : "";
  const [, action] = /not authorized to perform: ([a-z0-9-]+:[A-Za-z0-9]+)/.exec(message) ?? [];
  return awsFailure(error, action ?? "a call of AWS", "this region");
}

/** A SpeechError and an abort are returned as they are. */
export function awsFailure(cause: unknown, action: string, region: string): Error {
  if (isSpeechError(cause) || isAbortError(cause)) return cause as Error;
  const exception = exceptionName(cause);
  const refusal = (code: ConstructorParameters<typeof SpeechError>[0], words: string) =>
    new SpeechError(code, words, { cause, details: { exception, action } });
  if (EXPIRED.test(exception)) {
    return refusal("ACCESS_DENIED", expiredCredentials());
  }
  if (UNKNOWN_KEYS.test(exception)) {
    return refusal(
      "ACCESS_DENIED",
      "AWS does not know these credentials; check them with `aws sts get-caller-identity`, and AWS_PROFILE",
    );
  }
  if (BAD_SIGNATURE.test(exception)) {
    return refusal(
      "ACCESS_DENIED",
      "AWS refused the signature; check this machine's clock and the secret access key",
    );
  }
  if (isDenied(cause)) {
    return refusal(
      "ACCESS_DENIED",
      `these credentials may not do ${action} in ${region}; add it to their policy ` +
        "(`speech-infra permissions` and `agent-infra permissions` print the whole)",
    );
  }
  if (THROTTLED.test(exception))
    return refusal("THROTTLED", `AWS throttles ${action}; try again after a pause`);
  if (UNREACHABLE.test(exception)) {
    return refusal(
      "TRANSPORT_FAILED",
      `no service answers ${action} in ${region} (${exception}); check --region and this machine's network`,
    );
  }
  return refusal("DEPLOYMENT_FAILED", `${action} failed in ${region}: ${describe(cause, exception)}`);
}

/** Code of a system error, else the service's name for it. */
export function exceptionName(cause: unknown): string {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === "string" && UNREACHABLE.test(code)) return code;
  return typeof name === "string" ? name : "";
}

/** S3 answers a HEAD without a body: the status is all there is to know. */
export function isDenied(cause: unknown): boolean {
  return DENIED.test(exceptionName(cause)) || httpStatus(cause) === 403;
}

export function isMissing(cause: unknown): boolean {
  return /NotFound|NoSuch|ResourceNotFound/.test(exceptionName(cause)) || httpStatus(cause) === 404;
}

function httpStatus(cause: unknown): number | undefined {
  return (cause as { $metadata?: { httpStatusCode?: number } } | undefined)?.$metadata?.httpStatusCode;
}

function describe(cause: unknown, exception: string): string {
  const message = cause instanceof Error ? cause.message : "";
  return [exception, message].filter((part) => part !== "" && part !== "Error").join(": ") || "unknown error";
}
