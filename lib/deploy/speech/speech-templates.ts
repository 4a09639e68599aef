/** Speech's templates without a deployment: compared with what is deployed, or written to a folder. */
import { resolve } from "node:path";
import { diffStacks, type StackChanges } from "../stack-diff.ts";
import type { Operation } from "../stack-session.ts";
import { buildSpeechApp, type SpeechChoice, speechTarget } from "./speech-choice.ts";
import { localSpeechContent } from "./speech-content.ts";

export async function diffSpeech(choice: SpeechChoice, operation: Operation): Promise<StackChanges[]> {
  const target = speechTarget(choice);
  const content = await localSpeechContent(choice, target, operation.signal);
  const { account, region } = operation.place;
  return await diffStacks(Object.values(target.names.stacks), operation, (outdir, context) =>
    buildSpeechApp(choice, content, { account, region }, outdir, context),
  );
}

/** For any account and region. @returns names of the stacks, which are the templates'. */
export async function synthSpeech(
  choice: SpeechChoice,
  folder: string,
  signal: AbortSignal,
): Promise<string[]> {
  const target = speechTarget(choice);
  const content = await localSpeechContent(choice, target, signal);
  buildSpeechApp(choice, content, {}, resolve(folder)).synth();
  return Object.values(target.names.stacks);
}
