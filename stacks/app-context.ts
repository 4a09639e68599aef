/** The CDK context as typed values: `-c key=value` gives text, cdk.json may hold numbers. */
import type { App } from "aws-cdk-lib";
import type { ScaleOn } from "../lib/constructs/endpoint-scaling.ts";
import { SpeechError } from "../lib/errors.ts";

/** docs/cdk.md says what each means; a test compares the two. */
export const CONTEXT_KEYS = [
  "model",
  "stage",
  "imageTag",
  "imageUri",
  "modelPrefix",
  "instanceType",
  "minInstances",
  "maxInstances",
  "scaleOn",
  "agentImageTag",
  "agentImageUri",
  "bedrockModelId",
  "speechEndpointName",
  "permissionsBoundary",
  "qualifier",
  "kmsKeyArn",
  "logRetentionDays",
  "alarmTopicArn",
] as const;
type ContextKey = (typeof CONTEXT_KEYS)[number];

export class AppContext {
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  /** An empty text counts as absent. */
  text(key: ContextKey): string | undefined {
    const value: unknown = this.#app.node.tryGetContext(key);
    return value === undefined || value === "" ? undefined : String(value);
  }

  /** @throws {SpeechError} CONFIGURATION */
  wholeNumber(key: ContextKey): number | undefined {
    const text = this.text(key);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (Number.isInteger(value)) return value;
    throw refusal(key, "a whole number", text);
  }

  /** @throws {SpeechError} CONFIGURATION */
  scaleOn(): ScaleOn | undefined {
    const text = this.text("scaleOn");
    if (text === undefined || text === "concurrency" || text === "invocations") return text;
    throw refusal("scaleOn", "concurrency or invocations", text);
  }
}

function refusal(key: ContextKey, allowed: string, got: string): SpeechError {
  return new SpeechError("CONFIGURATION", `${key} must be ${allowed}, got "${got.slice(0, 60)}"`);
}
