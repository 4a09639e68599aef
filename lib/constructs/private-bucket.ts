/** A bucket that only its account reads, over TLS, that outlives its stack and is found again by its name. */
import { RemovalPolicy } from "aws-cdk-lib";
import { Key } from "aws-cdk-lib/aws-kms";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type LifecycleRule,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { acknowledge } from "./acknowledgement.ts";

export interface PrivateBucketProps {
  /** 3 to 63 characters, one space of names for the whole partition. */
  readonly bucketName: string;
  readonly versioned: boolean;
  readonly lifecycleRules: LifecycleRule[];
  /** @default S3's own key */
  readonly kmsKeyArn: string | undefined;
}

export function privateBucket(scope: Construct, id: string, props: PrivateBucketProps): Bucket {
  const { bucketName, versioned, lifecycleRules, kmsKeyArn } = props;
  const bucket = new Bucket(scope, id, {
    bucketName,
    versioned,
    lifecycleRules,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    ...(kmsKeyArn === undefined
      ? { encryption: BucketEncryption.S3_MANAGED }
      : {
          encryption: BucketEncryption.KMS,
          encryptionKey: Key.fromKeyArn(scope, `${id}Key`, kmsKeyArn),
          bucketKeyEnabled: true,
        }),
    removalPolicy: RemovalPolicy.RETAIN,
  });
  acknowledge(bucket, {
    "AwsSolutions-S1":
      "It holds published weights or this program's source, nothing of a caller's; who reads it is CloudTrail's to say.",
  });
  return bucket;
}
