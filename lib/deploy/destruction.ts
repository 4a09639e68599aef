/** What a destruction is going to do, and what it did. */
import type { KeptName } from "./kept/kept-names.ts";
import type { KeptResource } from "./kept/kept-resources.ts";
import type { StepReport } from "./steps.ts";

export interface DestructionPlan {
  /** Stacks that are there, in the order in which they go. */
  readonly stacks: readonly { readonly name: string; readonly status: string }[];
  /** What would stay, or be purged. */
  readonly kept: readonly KeptResource[];
}

export interface Destruction {
  readonly stage: string;
  readonly region: string;
  readonly account: string;
  readonly steps: readonly StepReport[];
  /** What is still there. */
  readonly kept: readonly KeptResource[];
  readonly purged: readonly KeptName[];
}
