/**
 * A person's agreement to what is going to be made or destroyed, asked for before anything is. In a pipeline it is
 * --yes; nobody is ever taken to have agreed.
 */
import { createInterface } from "node:readline/promises";
import { SpeechError } from "../lib/errors.ts";
import type { CliContext } from "./run.ts";

export interface ConsentQuestion {
  /** --yes, or what stands for it. */
  readonly given: boolean;
  /** "Deploy this?" */
  readonly question: string;
  /** What must be typed. @default "yes" */
  readonly word?: string;
  /** For a program without a terminal: "--yes". */
  readonly flag: string;
}

/** Before anything is asked of AWS. @throws {SpeechError} CONFIGURATION where nobody could be asked. */
export function requireAnswerable(
  { given, flag }: Omit<ConsentQuestion, "question">,
  { stdin }: CliContext,
): void {
  if (given || stdin.isTTY) return;
  throw new SpeechError(
    "CONFIGURATION",
    `this changes an AWS account, and there is no terminal to ask in; give ${flag}; nothing was changed`,
  );
}

/** @throws {SpeechError} CONFIGURATION without an agreement; else the signal's reason. */
export async function requireConsent(question: ConsentQuestion, context: CliContext): Promise<void> {
  const { output, stdin, signal } = context;
  requireAnswerable(question, context);
  if (question.given) return;
  const word = question.word ?? "yes";
  output.prompt(`${question.question} Type ${word} to go on: `);
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const answer = await Promise.race([lines.question("", { signal }), ended]);
    if (answer.trim() === word) return;
  } finally {
    lines.close();
  }
  throw new SpeechError("CONFIGURATION", `not confirmed (${word} was not typed); nothing was changed`);
}
