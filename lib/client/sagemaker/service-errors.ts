/**
 * What SageMaker says when it refuses or fails, in this program's errors, each with what to do next. The container's
 * own answer counts more than SageMaker's wrapping: a ModelError (424) is unwrapped to the status and body the
 * container gave, a ModelStreamError to the code it sent.
 *
 * AWS's own words are passed on, shortened: they name resources and actions, never what was to be spoken. A body
 * that is not our container's JSON is never quoted, because a stranger's container may echo its input.
 */
import { type ErrorCode, isErrorCode, SpeechError, type SpeechErrorOptions } from "../../errors.ts";
import { fromWireError } from "../../protocol/wire-errors.ts";
import { fromModelStreamError } from "../model-stream-error.ts";

export interface ServiceFailure {
  /** Name of the exception: `:exception-type`, `x-amzn-errortype` or the body's `__type`. */
  readonly name: string;
  /** JSON, as a rule. */
  readonly body: string;
  readonly httpStatus?: number;
  readonly endpointName: string;
  readonly awsRequestId?: string;
}

/** The headers and body of an HTTP answer that is not 200. */
export function httpFailure(
  httpStatus: number,
  header: (name: string) => string | undefined,
  body: string,
  endpointName: string,
): ServiceFailure {
  const fields = parseObject(body);
  const type = header("x-amzn-errortype") ?? fields.__type ?? fields.code;
  const awsRequestId = header("x-amzn-requestid");
  return {
    // "InternalFailure:http://internal.amazon.com/..." and "com.amazonaws.sagemaker#ModelError" are both in use.
    name: typeof type === "string" ? type.split(":")[0]!.replace(/^.*#/, "") : "",
    body,
    httpStatus,
    endpointName,
    ...(awsRequestId !== undefined && { awsRequestId }),
  };
}

export function serviceError(failure: ServiceFailure): SpeechError {
  const fields = parseObject(failure.body);
  const told = shortened(text(fields.Message) ?? text(fields.message));
  const details = {
    exception: failure.name,
    endpointName: failure.endpointName,
    ...(failure.httpStatus !== undefined && { httpStatus: failure.httpStatus }),
    ...(failure.awsRequestId !== undefined && { awsRequestId: failure.awsRequestId }),
  };
  if (failure.name === "ModelError" || (failure.name === "" && failure.httpStatus === 424)) {
    return modelError(fields, details);
  }
  if (failure.name === "ModelStreamError") {
    return fromModelStreamError(text(fields.ErrorCode) ?? "", text(fields.Message) ?? "", details);
  }
  const rule = RULES.find(({ names }) => names.test(failure.name)) ?? ruleByStatus(failure.httpStatus);
  const code = rule.code(told);
  return new SpeechError(code, sentence(rule.what(failure.endpointName, code), told, rule.next(code)), {
    details,
  });
}

interface Rule {
  readonly names: RegExp;
  code(told: string): ErrorCode;
  what(endpointName: string, code: ErrorCode): string;
  next(code: ErrorCode): string;
}

const RULES: readonly Rule[] = [
  {
    // SageMaker has no "not found" of its own here: an endpoint that is missing is a validation error.
    names: /^(InputValidationError|ValidationError|ValidationException|ResourceNotFound(Exception)?)$/,
    code: (told) =>
      /not found|could not be found|does not exist/i.test(told) ? "NOT_FOUND" : "INVALID_REQUEST",
    what: (endpoint, code) =>
      code === "NOT_FOUND"
        ? `SageMaker has no endpoint "${endpoint}" in this account and region`
        : `SageMaker refused the request to endpoint "${endpoint}"`,
    next: (code) =>
      code === "NOT_FOUND"
        ? "deploy it with `speech-infra deploy kokoro-82m`, or check its name and AWS_REGION"
        : "",
  },
  {
    names: /^(ExpiredToken(Exception)?|TokenRefreshRequired|RequestExpired)$/,
    code: () => "ACCESS_DENIED",
    what: () => "the AWS credentials have expired",
    next: () => "run `aws sso login` (or renew them where they come from)",
  },
  {
    names: /^(InvalidSignature(Exception)?|SignatureDoesNotMatch|IncompleteSignature(Exception)?)$/,
    code: () => "ACCESS_DENIED",
    what: () => "AWS refused the signature",
    next: () => "check this machine's clock, the region and the secret access key",
  },
  {
    names:
      /^(UnrecognizedClient(Exception)?|InvalidClientTokenId|InvalidAccessKeyId|MissingAuthenticationToken(Exception)?|OptInRequired)$/,
    code: () => "ACCESS_DENIED",
    what: () => "AWS does not know these credentials",
    next: () => "check AWS_PROFILE or the access key with `aws sts get-caller-identity`",
  },
  {
    names: /^(AccessDenied(Exception)?|NotAuthorized|UnauthorizedOperation)$/,
    code: () => "ACCESS_DENIED",
    what: (endpoint) => `these credentials may not invoke endpoint "${endpoint}"`,
    next: () =>
      "allow sagemaker:InvokeEndpoint and sagemaker:InvokeEndpointWithBidirectionalStream on the endpoint's ARN",
  },
  {
    names:
      /^(Throttling(Exception)?|ThrottledException|TooManyRequests(Exception)?|RequestLimitExceeded|SlowDown|ServiceQuotaExceeded(Exception)?|LimitExceeded(Exception)?)$/,
    code: () => "THROTTLED",
    what: (endpoint) => `SageMaker throttles calls to endpoint "${endpoint}"`,
    next: () => "try again after a pause, or ask for a higher quota",
  },
  {
    names: /^(ServiceUnavailable(Error|Exception)?|ModelNotReady(Exception)?)$/,
    code: () => "MODEL_NOT_READY",
    what: (endpoint) => `endpoint "${endpoint}" cannot take a request now`,
    next: () => "try again shortly; `speech-infra status` tells whether it is in service",
  },
  {
    names:
      /^(InternalServer(Error|Exception)|InternalFailure|InternalDependencyException|InternalStreamFailure|ServiceFailure)$/,
    code: () => "TRANSPORT_FAILED",
    what: (endpoint) => `SageMaker failed while serving endpoint "${endpoint}"`,
    next: () => "try again",
  },
];

function ruleByStatus(httpStatus: number | undefined): Rule {
  const names = /(?!)/; // chosen by status, never by name
  const what = (endpoint: string) =>
    `the service answered ${httpStatus === undefined ? "with an unknown error" : `HTTP ${httpStatus}`} for endpoint "${endpoint}"`;
  const by = (code: ErrorCode, next: string): Rule => ({ names, code: () => code, what, next: () => next });
  switch (httpStatus) {
    case 400:
      return by("INVALID_REQUEST", "");
    case 401:
    case 403:
      return by("ACCESS_DENIED", "check the credentials and their permissions");
    case 404:
      return by("NOT_FOUND", "check the endpoint's name and URL");
    case 413:
      return by("TEXT_TOO_LONG", "send less text at once");
    case 429:
      return by("THROTTLED", "try again after a pause");
    case 503:
      return by("MODEL_NOT_READY", "try again shortly");
    default:
      return by("TRANSPORT_FAILED", "try again");
  }
}

/** 424: the container answered, and badly. Its status and body are inside. */
function modelError(fields: Record<string, unknown>, outer: Record<string, unknown>): SpeechError {
  const originalStatus =
    typeof fields.OriginalStatusCode === "number" ? fields.OriginalStatusCode : undefined;
  const details = {
    ...outer,
    ...(originalStatus !== undefined && { originalStatus }),
    ...(text(fields.LogStreamArn) !== undefined && { logStreamArn: fields.LogStreamArn }),
  };
  const inner = parseObject(text(fields.OriginalMessage) ?? "");
  const own = typeof inner.error === "object" && inner.error !== null ? inner.error : undefined;
  if (own !== undefined) return withDetails(fromWireError(own), details);
  const errorCode = text(fields.ErrorCode);
  if (isErrorCode(errorCode)) return fromModelStreamError(errorCode, "", details);
  // SageMaker gives status 0 and these words when it stopped waiting (60 s for an answer that is not streamed).
  if (originalStatus === 0 && /timed out/i.test(text(fields.OriginalMessage) ?? "")) {
    const words = "the endpoint's container did not answer within the service's time limit";
    return new SpeechError("DEADLINE_EXCEEDED", `${words}; send a shorter text, or have it streamed`, {
      details,
    });
  }
  const code = CODE_BY_CONTAINER_STATUS[originalStatus ?? 0] ?? "SYNTHESIS_FAILED";
  const said = !originalStatus ? "without a status" : `with HTTP ${originalStatus}`;
  const next = details.logStreamArn
    ? "its log stream is in the error's details"
    : "see its log in CloudWatch";
  return new SpeechError(code, `the endpoint's container failed ${said}; ${next}`, { details });
}

const CODE_BY_CONTAINER_STATUS: Record<number, ErrorCode> = {
  400: "INVALID_REQUEST",
  404: "NOT_FOUND",
  408: "REQUEST_STALE",
  413: "TEXT_TOO_LONG",
  429: "QUEUE_SATURATED",
  502: "TRANSPORT_FAILED",
  503: "QUEUE_SATURATED",
  504: "DEADLINE_EXCEEDED",
};

function withDetails(error: SpeechError, details: Record<string, unknown>): SpeechError {
  const options: SpeechErrorOptions = {
    retryable: error.retryable,
    details: { ...error.details, ...details },
  };
  return new SpeechError(error.code, error.message, options);
}

/** Longest piece of AWS's own words that is passed on. */
const TOLD_MAX_CHARS = 300;

function shortened(told: string | undefined): string {
  const line = (told ?? "").replace(/\s+/g, " ").trim();
  return line.length > TOLD_MAX_CHARS ? `${line.slice(0, TOLD_MAX_CHARS)}...` : line;
}

function sentence(what: string, told: string, next: string): string {
  return `${what}${told === "" ? "" : `: ${told.replace(/\.$/, "")}`}${next === "" ? "" : `; ${next}`}`;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
