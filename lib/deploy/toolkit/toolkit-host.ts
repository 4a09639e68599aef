/**
 * The CDK toolkit's conversation partner: its messages become DeployProgress, its questions are answered by the consent
 * that the command got before anything was changed. The toolkit's own default for every question is yes.
 */
import type {
  DeployResult,
  IIoHost,
  IoMessage,
  IoRequest,
  StackActivity,
  StackDiff,
} from "@aws-cdk/toolkit-lib";
import { SpeechError } from "../../errors.ts";
import type { DeployObserver } from "../progress.ts";

export type ToolkitMessage = IoMessage<unknown>;

/**
 * Roll back first, deploy, destroy, and (bootstrap) nothing else: what the consent was asked for.
 * https://docs.aws.amazon.com/cdk/api/toolkit-lib/message-registry/
 */
const APPROVALS: readonly string[] = ["CDK_TOOLKIT_I5050", "CDK_TOOLKIT_I5060", "CDK_TOOLKIT_I7010"];

export class ToolkitHost implements IIoHost {
  readonly #observe: DeployObserver;
  readonly #consent: boolean;
  /** Of the last stack: CloudFormation found nothing to change. */
  unchanged = false;
  readonly diffs: StackDiff[] = [];

  /** @param consent that somebody agreed to the changes; without it every question fails. */
  constructor(observe: DeployObserver, consent: boolean) {
    this.#observe = observe;
    this.#consent = consent;
  }

  async notify({ code, data }: ToolkitMessage): Promise<void> {
    if (code === "CDK_TOOLKIT_I5502") this.#tellActivity(data as StackActivity);
    if (code === "CDK_TOOLKIT_I5900") this.unchanged = (data as { noOp?: boolean }).noOp === true;
    if (code === "CDK_TOOLKIT_I4002") this.diffs.push(data as StackDiff);
  }

  async requestResponse<T>({ code, message, defaultResponse }: IoRequest<unknown, T>): Promise<T> {
    if (typeof defaultResponse !== "boolean") return defaultResponse;
    if (this.#consent && APPROVALS.includes(code)) return true as T;
    const question = message.trim().split("\n").at(-1);
    throw new SpeechError(
      "CONFIGURATION",
      this.#consent
        ? `the CDK asks what nobody has agreed to (${code}: ${question}); nothing was changed`
        : `nobody agreed to this (${question}); give --yes, or run it in a terminal`,
    );
  }

  #tellActivity({ event, metadata, progress }: StackActivity): void {
    this.#observe({
      kind: "resource",
      stack: event.StackName ?? "",
      resource: readableName(metadata?.constructPath) ?? event.LogicalResourceId ?? "",
      resourceType: event.ResourceType ?? "",
      status: event.ResourceStatus ?? "",
      ...(event.ResourceStatusReason !== undefined && { reason: event.ResourceStatusReason }),
      completed: progress.completed,
      total: progress.total ?? 0,
    });
  }
}

export type { DeployResult };

/** `/speech-kokoro-82m-endpoint/Speech/Model/Model` -> `Speech/Model` */
export function readableName(constructPath: string | undefined): string | undefined {
  if (constructPath === undefined) return undefined;
  const parts = constructPath.split("/").filter((part) => part !== "");
  const inner = parts.slice(1).filter((part) => part !== "Resource");
  const named = inner.filter((part, at) => part !== inner[at - 1]);
  return named.length === 0 ? undefined : named.join("/");
}
