/** Makes one sentence of what CloudFormation, or the CDK on the way to it, says about a stack that failed. */
import type { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { isSpeechError, SpeechError } from "../../errors.ts";
import { firstFailure, lastOperation, type StackFailure } from "./stack-events.ts";

export interface FailureWords {
  readonly stack: string;
  /** "deploy" or "delete": what was tried. */
  readonly verb: string;
  /** What to type next. */
  readonly next: string;
}

/** @param error the toolkit's, when it threw. */
export async function stackFailure(
  client: CloudFormationClient,
  { stack, verb, next }: FailureWords,
  error?: unknown,
): Promise<SpeechError> {
  if (isSpeechError(error)) return error;
  const events = await lastOperation(client, stack).catch(() => []);
  const failure = firstFailure(events);
  if (failure !== undefined) return resourceError(failure, verb, next, error);
  return toolkitError(error, { stack, verb, next });
}

function resourceError(failure: StackFailure, verb: string, next: string, cause: unknown): SpeechError {
  const { stack, resource, resourceType, reason } = failure;
  return new SpeechError(
    "DEPLOYMENT_FAILED",
    `cannot ${verb} ${stack}: ${resource} (${resourceType}) failed: ${reason.replace(/\.$/, "")}; next: ${next}`,
    { cause, details: { ...failure, next } },
  );
}

/** No resource failed: a missing bootstrap, a permission, a change set that was refused. */
export function toolkitError(error: unknown, { stack, verb, next }: FailureWords): SpeechError {
  const words = innermostMessage(error);
  if (/bootstrap/i.test(words)) {
    return new SpeechError(
      "CONFIGURATION",
      `the account is not prepared for the CDK (${words.replace(/\.$/, "")}); run the same command with --bootstrap`,
      { cause: error },
    );
  }
  return new SpeechError(
    "DEPLOYMENT_FAILED",
    `cannot ${verb} ${stack}: ${words.replace(/\.$/, "")}; next: ${next}`,
    { cause: error, details: { stack, reason: words, next } },
  );
}

/** The toolkit wraps its errors in lines with a stack's name and a cross before each. */
function innermostMessage(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  const words = at instanceof Error ? at.message : String(at ?? "no reason was given");
  return words.replace(/\s+/g, " ").trim().slice(0, 500);
}
