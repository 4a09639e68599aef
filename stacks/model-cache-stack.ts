/** Holds the prepared weights: uploaded by the command, mounted by SageMaker. */
import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { modelBucketName, OUTPUTS, type SpeechNames } from "../lib/config/deployment-names.ts";
import type { DeploymentOptions } from "../lib/constructs/deployment-options.ts";
import { privateBucket } from "../lib/constructs/private-bucket.ts";

/** Weights that were replaced, for going back to. */
const OLD_VERSIONS_KEPT = Duration.days(30);
/** A broken sync is taken up again within days, or not at all. */
const UPLOADS_KEPT = Duration.days(7);

export interface ModelCacheStackProps extends StackProps {
  readonly names: SpeechNames;
  readonly modelPrefix: string;
  readonly options: DeploymentOptions;
}

export class ModelCacheStack extends Stack {
  constructor(scope: Construct, id: string, props: ModelCacheStackProps) {
    super(scope, id, { ...props, description: "Speech: bucket of the prepared weights" });
    const bucket = privateBucket(this, "Weights", {
      bucketName: modelBucketName(props.names, this.account, this.region),
      versioned: true,
      lifecycleRules: [
        { noncurrentVersionExpiration: OLD_VERSIONS_KEPT, abortIncompleteMultipartUploadAfter: UPLOADS_KEPT },
      ],
      kmsKeyArn: props.options.kmsKeyArn,
    });
    new CfnOutput(this, OUTPUTS.modelBucket, { value: bucket.bucketName });
    new CfnOutput(this, OUTPUTS.modelPrefix, { value: props.modelPrefix });
  }
}
