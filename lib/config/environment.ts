/**
 * The only reader of process.env. Settings modules beside this file name each variable, its range and default;
 * the rest of the program gets typed values and never looks at the environment.
 */
import { SpeechError } from "../errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function processEnvironment(): Environment {
  return process.env;
}

/** A variable set to the empty string counts as absent, as shells and compose files mean it. */
export function stringSetting(env: Environment, name: string, fallback: string): string {
  return env[name] || fallback;
}

/** @throws {SpeechError} CONFIGURATION that names the variable, the value got and what is allowed. */
export function choiceSetting<Choice extends string>(
  env: Environment,
  name: string,
  fallback: Choice,
  allowed: readonly Choice[],
): Choice {
  const text = env[name];
  if (!text) return fallback;
  const choice = allowed.find((known) => known === text);
  if (choice !== undefined) return choice;
  throw new SpeechError(
    "CONFIGURATION",
    `${name} must be ${allowed.join(" or ")}, got "${text.slice(0, 60)}"`,
  );
}

/**
 * @param min inclusive
 * @param max inclusive
 * @throws {SpeechError} CONFIGURATION that names the variable, the value got and what is allowed.
 */
export function integerSetting(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new SpeechError(
      "CONFIGURATION",
      `${name} must be a whole number from ${min} to ${max}, got "${text}"`,
    );
  }
  return value;
}
