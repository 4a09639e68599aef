/**
 * What an endpoint consists of, and the hash that names it. SageMaker never changes a model or a configuration: a new
 * one must have a new name, and the endpoint is moved over to it. Named by a hash of all that is in it, a changed
 * configuration always updates the endpoint and an unchanged one never does.
 */
import { createHash } from "node:crypto";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import { SpeechError } from "../errors.ts";

export interface EndpointContent {
  /** Tag in our repository, or a foreign image's URI. */
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly modelPrefix: string;
  readonly instanceType: string;
  readonly instanceCount: number;
  /** Host image of SageMaker; undefined leaves it to SageMaker. */
  readonly inferenceAmiVersion: string | undefined;
  readonly modelDownloadTimeoutSeconds: number;
  readonly startupHealthCheckTimeoutSeconds: number;
}

/**
 * Driver 580, CUDA 13.0, on Amazon Linux 2023; runs images of CUDA 12, which ONNX Runtime's provider is built for
 * (https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ProductionVariant.html).
 */
const GPU_AMI_VERSION = "al2023-ami-sagemaker-inference-gpu-4-1";
/** 330 MB from S3 take seconds; the rest is for a bad day. 60 to 3600. */
const MODEL_DOWNLOAD_TIMEOUT_SECONDS = 600;
/** From the container's start until /ping says that the model is warm. 60 to 3600. */
const STARTUP_HEALTH_CHECK_TIMEOUT_SECONDS = 600;
/** Always one: scaling brings it up to its least, and an update keeps what scaling has come to. */
const INSTANCE_COUNT = 1;

export interface EndpointChoice {
  readonly image: string;
  readonly modelPrefix: string;
  readonly instanceType: string;
  readonly device: SpeechDevice;
}

/** @throws {SpeechError} CONFIGURATION for an instance type that could not run the image. */
export function endpointContent({
  image,
  modelPrefix,
  instanceType,
  device,
}: EndpointChoice): EndpointContent {
  return {
    image,
    // No region: the container calls no AWS service. SPEECH_* keep their defaults, which suit an endpoint.
    environment: { HOST: "0.0.0.0", KOKORO_DEVICE: device },
    modelPrefix,
    instanceType: requireInstanceType(instanceType, device),
    instanceCount: INSTANCE_COUNT,
    inferenceAmiVersion: device === "cuda" ? GPU_AMI_VERSION : undefined,
    modelDownloadTimeoutSeconds: MODEL_DOWNLOAD_TIMEOUT_SECONDS,
    startupHealthCheckTimeoutSeconds: STARTUP_HEALTH_CHECK_TIMEOUT_SECONDS,
  };
}

/** The images are linux/amd64, and the CUDA one needs NVIDIA's GPUs: families g and p. */
function requireInstanceType(instanceType: string, device: SpeechDevice): string {
  const [, family, generation] = /^ml\.([a-z]+)\d+([a-z]*)\.[a-z0-9-]+$/.exec(instanceType) ?? [];
  if (family === undefined || generation === undefined) {
    throw refusal(instanceType, "instanceType must be one of SageMaker's, such as ml.g5.xlarge");
  }
  if (generation.startsWith("g")) {
    throw refusal(instanceType, "instanceType must be an x86 one, the image is linux/amd64");
  }
  if (device === "cuda" && !["g", "p"].includes(family)) {
    throw refusal(
      instanceType,
      "instanceType must have an NVIDIA GPU (ml.g5, ml.g6, ...), or deploy kokoro-82m-cpu",
    );
  }
  return instanceType;
}

function refusal(got: string, words: string): SpeechError {
  return new SpeechError("CONFIGURATION", `${words}; got "${got.slice(0, 60)}"`);
}

/** 10 hexadecimal digits; the same on every machine, in every account. */
export function contentHash(content: EndpointContent): string {
  return createHash("sha256").update(canonicalJson(content)).digest("hex").slice(0, 10);
}

function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(",")}}`;
}
