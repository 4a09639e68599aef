/** One stack as a step. */
import type { StepEnd } from "./steps.ts";
import { deployStack, destroyStack, type StackWork } from "./toolkit/stack-deployment.ts";

export async function deployedStep(stack: string, work: StackWork): Promise<StepEnd> {
  const { changed } = await deployStack(stack, work);
  return changed ? { state: "done" } : { state: "skipped", detail: "no changes" };
}

export async function destroyedStep(stack: string, work: StackWork): Promise<StepEnd> {
  return (await destroyStack(stack, work))
    ? { state: "done" }
    : { state: "skipped", detail: "it was not there" };
}
