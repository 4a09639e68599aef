/**
 * What a long operation says while it runs. lib/deploy tells an observer and prints nothing; the command draws it, as a
 * moving line on a terminal, as plain lines in a log, as nothing with --json.
 */
export type DeployProgress =
  /** A step of the operation: `foundation`, `image`, `model`, ... Each ends in one of the last three. */
  | {
      readonly kind: "step";
      readonly step: string;
      readonly state: "started" | "done" | "skipped" | "failed";
      /** Why it was skipped, what was made. */
      readonly detail?: string;
    }
  /** One event of a stack's resource. */
  | {
      readonly kind: "resource";
      readonly stack: string;
      readonly resource: string;
      readonly resourceType: string;
      /** As CloudFormation says it: CREATE_IN_PROGRESS, ... */
      readonly status: string;
      readonly reason?: string;
      readonly completed: number;
      readonly total: number;
    }
  | {
      readonly kind: "transfer";
      readonly what: string;
      readonly doneBytes: number;
      readonly totalBytes: number;
    }
  /** A line of somebody else's log: a build, a container. */
  | { readonly kind: "log"; readonly source: string; readonly line: string }
  /** Nothing to do but wait, and what for. */
  | { readonly kind: "waiting"; readonly what: string };

export type DeployObserver = (progress: DeployProgress) => void;
