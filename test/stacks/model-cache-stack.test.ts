/** The bucket of weights: private, over TLS only, versioned, kept. */
import { Match } from "aws-cdk-lib/assertions";
import { expect, it } from "vitest";
import { speech } from "../helpers/synthesized-apps.ts";

const template = () => speech().template("speech-kokoro-82m-model-cache");

it("is private, versioned and kept", () => {
  template().hasResource("AWS::S3::Bucket", {
    DeletionPolicy: "Retain",
    UpdateReplacePolicy: "Retain",
    Properties: {
      BucketName: "speech-kokoro-82m-123456789012-eu-west-1",
      VersioningConfiguration: { Status: "Enabled" },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
      BucketEncryption: Match.objectLike({}),
    },
  });
});

it("refuses whoever comes without TLS 1.2", () => {
  template().hasResourceProperties("AWS::S3::BucketPolicy", {
    PolicyDocument: {
      Statement: [
        Match.objectLike({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
        Match.objectLike({ Effect: "Deny", Condition: { NumericLessThan: { "s3:TlsVersion": 1.2 } } }),
      ],
    },
  });
});

it("forgets replaced weights after a month and broken uploads after a week", () => {
  template().hasResourceProperties("AWS::S3::Bucket", {
    LifecycleConfiguration: {
      Rules: [
        {
          Status: "Enabled",
          NoncurrentVersionExpiration: { NoncurrentDays: 30 },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
        },
      ],
    },
  });
});

it("says where the weights go", () => {
  template().hasOutput("ModelPrefix", { Value: "model/" });
  template().hasOutput("ModelBucket", {});
});

it.each(["", "model", "/model/", "../", "a b/"])("fails for the prefix %j", (modelPrefix) => {
  expect(() => speech({ modelPrefix })).toThrow(/^modelPrefix must be a key prefix that ends in a slash/);
});
