/** The two images: where their Dockerfiles lie, what they run on, and what AWS demands of them. */
import type { SpeechDevice } from "../../config/speech-catalog.ts";

export type ImageName = "tts" | "agent";
/** Of the TTS image; the agent has one kind only. */
export type ImageVariant = SpeechDevice;

export interface ImageDefinition {
  readonly name: ImageName;
  /** Relative to the repository's root, which is the build's context. */
  readonly dockerfile: string;
  readonly architecture: "amd64" | "arm64";
  readonly labels: Readonly<Record<string, string>>;
}

export const IMAGES: Readonly<Record<ImageName, ImageDefinition>> = {
  tts: {
    name: "tts",
    dockerfile: "container/tts/Dockerfile",
    architecture: "amd64",
    // Without it SageMaker opens no bidirectional stream to the container:
    // https://docs.aws.amazon.com/sagemaker/latest/dg/realtime-endpoints-bidirectional-streaming.html
    labels: { "com.amazonaws.sagemaker.capabilities.bidirectional-streaming": "true" },
  },
  // AgentCore Runtime runs arm64 only: https://docs.aws.amazon.com/bedrock-agentcore/latest/devguide/runtime-get-started-toolkit.html
  agent: { name: "agent", dockerfile: "container/agent/Dockerfile", architecture: "arm64", labels: {} },
};

export function platformOf({ architecture }: ImageDefinition): string {
  return `linux/${architecture}`;
}
