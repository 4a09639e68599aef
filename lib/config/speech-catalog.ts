/** What `speech-infra deploy` can deploy. */
import { SpeechError } from "../errors.ts";
import { nearestName } from "./edit-distance.ts";

export const SPEECH_MODEL_IDS = ["kokoro-82m", "kokoro-82m-cpu"] as const;
export type SpeechModelId = (typeof SPEECH_MODEL_IDS)[number];

export const SPEECH_DEVICES = ["cpu", "cuda"] as const;
export type SpeechDevice = (typeof SPEECH_DEVICES)[number];

export interface SpeechCatalogEntry {
  readonly id: SpeechModelId;
  readonly description: string;
  /** Default of --instance-type. */
  readonly instanceType: string;
  /** Which image variant runs, and what KOKORO_DEVICE says inside. */
  readonly device: SpeechDevice;
  /** US dollars an hour of one instance in us-east-1, on demand. For an order of magnitude only: prices change. */
  readonly usdPerHour: number;
}

/** Prices: https://aws.amazon.com/sagemaker/ai/pricing/, as remembered, not fetched; `deploy` says so. */
export const SPEECH_CATALOG: Readonly<Record<SpeechModelId, SpeechCatalogEntry>> = {
  "kokoro-82m": {
    id: "kokoro-82m",
    description: "Kokoro-82M on a GPU",
    instanceType: "ml.g5.xlarge",
    device: "cuda",
    usdPerHour: 1.41,
  },
  "kokoro-82m-cpu": {
    id: "kokoro-82m-cpu",
    description: "Kokoro-82M on CPUs, for few callers",
    instanceType: "ml.c7i.2xlarge",
    device: "cpu",
    usdPerHour: 0.43,
  },
};

const SHOWN_ID_MAX_CHARS = 60;

const MIN_INSTANCES_DEFAULT = 1;
const MAX_INSTANCES_DEFAULT = 2;

export interface InstanceBounds {
  /** @default 1 */
  readonly minInstances?: number | undefined;
  /** @default 2, or minInstances where that is more */
  readonly maxInstances?: number | undefined;
}

/** Between how many instances an endpoint scales, where not all was said. */
export function instanceBounds({ minInstances = MIN_INSTANCES_DEFAULT, maxInstances }: InstanceBounds): {
  readonly minInstances: number;
  readonly maxInstances: number;
} {
  return { minInstances, maxInstances: maxInstances ?? Math.max(minInstances, MAX_INSTANCES_DEFAULT) };
}

/** @throws {SpeechError} CONFIGURATION that names the nearest. */
export function requireSpeechModel(id: string): SpeechCatalogEntry {
  const entry = SPEECH_MODEL_IDS.find((known) => known === id);
  if (entry !== undefined) return SPEECH_CATALOG[entry];
  const shown = id.slice(0, SHOWN_ID_MAX_CHARS);
  const nearest = nearestName(shown.toLowerCase(), SPEECH_MODEL_IDS);
  throw new SpeechError(
    "CONFIGURATION",
    `unknown model "${shown}"; nearest is ${nearest}; speech-infra list shows them all`,
    { details: { nearest } },
  );
}
