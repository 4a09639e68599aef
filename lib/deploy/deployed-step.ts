/** One stack as a step. */
import type { Product, StepEnd } from "./steps.ts";
import { deployStack, destroyStack, type StackWork } from "./toolkit/stack-deployment.ts";

export type StackOutputs = Readonly<Record<string, string>>;

export async function deployedStep(stack: string, work: StackWork): Promise<Product<StackOutputs>> {
  const { changed, state } = await deployStack(stack, work);
  return product(state.outputs, changed);
}

export function product(outputs: StackOutputs, changed: boolean): Product<StackOutputs> {
  return changed
    ? { state: "done", value: outputs }
    : { state: "skipped", detail: "no changes", value: outputs };
}

export async function destroyedStep(stack: string, work: StackWork): Promise<StepEnd> {
  return (await destroyStack(stack, work))
    ? { state: "done" }
    : { state: "skipped", detail: "it was not there" };
}
