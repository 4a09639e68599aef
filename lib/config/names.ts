/**
 * Names that several parts must spell alike: the speech endpoint, and the dummy credentials of a system that
 * runs on one machine. The dummies sign real SigV4 requests, which the local stand-ins verify; they open nothing.
 */

/** SageMaker endpoint that `speech-infra deploy kokoro-82m` makes and the agent calls unless told otherwise. */
export const SPEECH_ENDPOINT_NAME_DEFAULT = "speech-kokoro-82m";

/** Model id the agent asks the local Bedrock stand-in for; the stand-in answers any id. */
export const LOCAL_LANGUAGE_MODEL_ID = "local.stand-in-v1";

export const LOCAL_CREDENTIALS = {
  accessKeyId: "AKIDLOCALDEMO",
  secretAccessKey: "local-demo-secret",
} as const;

/** Region that local requests are signed for. */
export const LOCAL_REGION = "us-east-1";
