/**
 * Names that several parts of a system on one machine must spell alike, among them its dummy credentials. The dummies sign real SigV4 requests, which the local stand-ins verify; they open nothing.
 */

/** Model id the agent asks the local Bedrock stand-in for; the stand-in answers any id. */
export const LOCAL_LANGUAGE_MODEL_ID = "local.stand-in-v1";

export const LOCAL_CREDENTIALS = {
  accessKeyId: "AKIDLOCALDEMO",
  secretAccessKey: "local-demo-secret",
} as const;

/** Region that local requests are signed for. */
export const LOCAL_REGION = "us-east-1";
