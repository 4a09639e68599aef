/** What the speech side stands on: who may do what, what is kept, how an image is built. */
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { flat, KMS_KEY_ARN, speech, statements } from "../helpers/synthesized-apps.ts";

const STACK = "speech-kokoro-82m-foundation";
const template = () => speech().template(STACK);

function executionRole(changes: Parameters<typeof speech>[0] = {}) {
  const found = [...speech(changes).resources].find(([id]) => id.startsWith(`${STACK}/ExecutionRole`));
  return statements(found![1]);
}

describe("the execution role", () => {
  it("may pull this repository, read this prefix, write this log and these metrics, see its alarms, and nothing else", () => {
    const allowed = [...executionRole()].map(([actions, { Resource }]) => [actions, flat(Resource)]);
    const log =
      "arn:<AWS::Partition>:logs:eu-west-1:123456789012:log-group:/aws/sagemaker/Endpoints/speech-kokoro-82m";
    expect(allowed).toEqual([
      [
        "ecr:BatchCheckLayerAvailability ecr:BatchGetImage ecr:GetDownloadUrlForLayer",
        "arn:<AWS::Partition>:ecr:eu-west-1:123456789012:repository/speech-kokoro-82m",
      ],
      ["ecr:GetAuthorizationToken", "*"],
      ["s3:GetObject", "arn:<AWS::Partition>:s3:::speech-kokoro-82m-123456789012-eu-west-1/model/*"],
      ["s3:ListBucket", "arn:<AWS::Partition>:s3:::speech-kokoro-82m-123456789012-eu-west-1"],
      ["logs:CreateLogStream logs:PutLogEvents", `${log} ${log}:*`],
      ["logs:DescribeLogStreams", log],
      ["cloudwatch:PutMetricData", "*"],
      [
        "cloudwatch:DescribeAlarms",
        "arn:<AWS::Partition>:cloudwatch:eu-west-1:123456789012:alarm:speech-kokoro-82m-*",
      ],
    ]);
  });

  it("reads weights of before too, for a fleet that is rolled back to them", () => {
    const { Resource } = executionRole({ modelPrefix: "kokoro/0123abcd/" }).get("s3:GetObject")!;
    expect(flat(Resource)).toMatch(/eu-west-1\/kokoro\/\*$/);
  });

  it("lists only the prefix, and writes only SageMaker's metrics", () => {
    expect(executionRole().get("s3:ListBucket")?.Condition).toEqual({
      StringLike: { "s3:prefix": "model/*" },
    });
    expect(executionRole().get("cloudwatch:PutMetricData")?.Condition).toEqual({
      StringEquals: {
        "cloudwatch:namespace": ["AWS/SageMaker", "/aws/sagemaker/Endpoints", "aws/sagemaker/Endpoints"],
      },
    });
  });

  it("is assumed by SageMaker for this account alone", () => {
    template().hasResourceProperties("AWS::IAM::Role", {
      Description: "SageMaker, for the endpoint speech-kokoro-82m",
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: "sts:AssumeRole",
            Effect: "Allow",
            Principal: { Service: "sagemaker.amazonaws.com" },
            Condition: { StringEquals: { "aws:SourceAccount": "123456789012" } },
          },
        ],
      },
    });
  });

  it("pulls a foreign image from its repository instead", () => {
    const imageUri = "999999999999.dkr.ecr.us-east-1.example.org/team/tts@sha256:00ff";
    const role = executionRole({ imageTag: undefined, imageUri });
    expect(
      flat(
        role.get("ecr:BatchCheckLayerAvailability ecr:BatchGetImage ecr:GetDownloadUrlForLayer")?.Resource,
      ),
    ).toBe("arn:<AWS::Partition>:ecr:us-east-1:999999999999:repository/team/tts");
  });

  it("decrypts with the account's key when there is one", () => {
    expect(executionRole().has("kms:Decrypt")).toBe(false);
    expect(flat(executionRole({ options: { kmsKeyArn: KMS_KEY_ARN } }).get("kms:Decrypt")?.Resource)).toBe(
      KMS_KEY_ARN,
    );
  });
});

it("keeps the last five images, scanned, with tags that never move", () => {
  template().hasResource("AWS::ECR::Repository", {
    DeletionPolicy: "Retain",
    Properties: {
      RepositoryName: "speech-kokoro-82m",
      ImageTagMutability: "IMMUTABLE",
      ImageScanningConfiguration: { ScanOnPush: true },
      LifecyclePolicy: { LifecyclePolicyText: Match.serializedJson(keepsLast(5)) },
    },
  });
});

it("has the endpoint's log group before SageMaker does, with an end date", () => {
  template().hasResourceProperties("AWS::Logs::LogGroup", {
    LogGroupName: "/aws/sagemaker/Endpoints/speech-kokoro-82m",
    RetentionInDays: 30,
  });
  const { resources } = speech({ options: { logRetentionDays: 7 } });
  const days = [...resources.values()]
    .filter(({ Type }) => Type === "AWS::Logs::LogGroup")
    .map(({ Properties }) => Properties.RetentionInDays);
  expect(days).toEqual([7, 7]);
});

describe("the build project", () => {
  it("builds linux/amd64 with Docker's media types from a zip in the bucket, and pushes to the repository", () => {
    template().hasResourceProperties("AWS::CodeBuild::Project", {
      Name: "speech-kokoro-82m-image",
      Environment: Match.objectLike({
        PrivilegedMode: true,
        Type: "LINUX_CONTAINER",
        EnvironmentVariables: ["REPOSITORY_URI", "IMAGE_TAG", "VARIANT"].map((Name) =>
          Match.objectLike({ Name }),
        ),
      }),
      Source: {
        Type: "S3",
        BuildSpec: Match.serializedJson({
          version: "0.2",
          phases: {
            pre_build: { commands: [Match.stringLikeRegexp("docker login")] },
            build: {
              commands: [
                Match.stringLikeRegexp(
                  "--platform linux/amd64 --provenance=false --output type=registry,oci-mediatypes=false .*" +
                    '--file container/tts/Dockerfile --tag "\\$REPOSITORY_URI:\\$IMAGE_TAG" \\.$',
                ),
              ],
            },
          },
        }),
      },
    });
  });

  it("reads its zip, writes its log, pushes to this repository, and nothing else", () => {
    const found = [...speech().resources].find(([id]) => id.startsWith(`${STACK}/ImageBuildRole`));
    const services = [...statements(found![1])].map(([actions]) => actions.split(" "));
    expect(services.flat().sort()).toEqual([
      "ecr:BatchCheckLayerAvailability",
      "ecr:BatchGetImage",
      "ecr:CompleteLayerUpload",
      "ecr:GetAuthorizationToken",
      "ecr:GetDownloadUrlForLayer",
      "ecr:InitiateLayerUpload",
      "ecr:PutImage",
      "ecr:UploadLayerPart",
      "logs:CreateLogStream",
      "logs:PutLogEvents",
      "s3:GetBucketAcl",
      "s3:GetBucketLocation",
      "s3:GetObject",
      "s3:GetObjectVersion",
    ]);
  });
});

it("names what the commands ask for", () => {
  for (const output of ["RepositoryUri", "BuildProject", "BuildBucket", "ExecutionRoleArn"]) {
    template().hasOutput(output, {});
  }
});

it("encrypts with the account's key when there is one", () => {
  const { resources } = speech({ options: { kmsKeyArn: KMS_KEY_ARN } });
  const kept = [...resources.values()].filter(({ DeletionPolicy }) => DeletionPolicy === "Retain");
  expect(kept.length).toBe(5);
  for (const { Type, Properties } of kept) expect(JSON.stringify(Properties), Type).toContain(KMS_KEY_ARN);
});

function keepsLast(countNumber: number) {
  return {
    rules: [
      Match.objectLike({
        selection: { tagStatus: "any", countType: "imageCountMoreThan", countNumber },
        action: { type: "expire" },
      }),
    ],
  };
}
