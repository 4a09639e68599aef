/**
 * Builds an image where no Docker engine is at hand: a source zip is put into the bucket, and a build of this project
 * is started with IMAGE_TAG and VARIANT.
 */
import { Duration, Stack } from "aws-cdk-lib";
import { ComputeType, LinuxArmBuildImage, LinuxBuildImage, Project, Source } from "aws-cdk-lib/aws-codebuild";
import type { Repository } from "aws-cdk-lib/aws-ecr";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledgement.ts";
import { type ImageName, imageBuildSpec } from "./build-spec.ts";
import type { DeploymentOptions } from "./deployment-options.ts";
import { imageRepository } from "./image-repository.ts";
import { keptLogGroup } from "./kept-log-group.ts";
import { DECRYPT, PUSH_IMAGE, READ_OBJECTS, REGISTRY_LOGIN, WRITE_LOG } from "./permissions.ts";
import { privateBucket } from "./private-bucket.ts";

/** The CUDA libraries alone take minutes to fetch and unpack. */
const BUILD_TIMEOUT = Duration.minutes(60);
/** A zip is wanted only while it is built. */
const SOURCE_KEPT = Duration.days(7);
/** Where a zip lies unless StartBuild says otherwise. */
export const SOURCE_KEY = "source.zip";

export interface ImageBuildProps {
  readonly image: ImageName;
  readonly architecture: "amd64" | "arm64";
  readonly repositoryName: string;
  readonly projectName: string;
  readonly bucketName: string;
  readonly logGroupName: string;
  readonly options: DeploymentOptions;
}

/** The side's repository and what builds into it. */
export class ImageBuild extends Construct {
  readonly repository: Repository;
  readonly project: Project;
  readonly sourceBucket: Bucket;

  constructor(scope: Construct, id: string, props: ImageBuildProps) {
    super(scope, id);
    const { kmsKeyArn } = props.options;
    this.repository = imageRepository(this, "Repository", {
      repositoryName: props.repositoryName,
      kmsKeyArn,
    });
    this.sourceBucket = privateBucket(this, "Source", {
      bucketName: props.bucketName,
      versioned: false,
      lifecycleRules: [{ expiration: SOURCE_KEPT, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      kmsKeyArn,
    });
    const logGroup = keptLogGroup(this, "BuildLog", props.logGroupName, props.options);
    const arm = props.architecture === "arm64";
    this.project = new Project(this, "Project", {
      projectName: props.projectName,
      description: `Builds container/${props.image} and pushes it to ${props.repositoryName}`,
      role: this.#buildRole(logGroup.logGroupArn, kmsKeyArn).withoutPolicyUpdates(),
      source: Source.s3({ bucket: this.sourceBucket, path: SOURCE_KEY }),
      environment: {
        buildImage: arm
          ? LinuxArmBuildImage.AMAZON_LINUX_2023_STANDARD_3_0
          : LinuxBuildImage.AMAZON_LINUX_2023_5,
        computeType: ComputeType.LARGE,
        privileged: true,
      },
      environmentVariables: {
        REPOSITORY_URI: { value: this.repository.repositoryUri },
        IMAGE_TAG: { value: "unset" },
        VARIANT: { value: "unset" },
      },
      buildSpec: imageBuildSpec(props.image, `linux/${props.architecture}`),
      timeout: BUILD_TIMEOUT,
      logging: { cloudWatch: { logGroup } },
    });
    acknowledge(this.project, {
      "AwsSolutions-CB3": "Building an image needs the Docker daemon; the source is this program's own.",
      "AwsSolutions-CB4": "No artifact is kept: the image goes to ECR, which encrypts it.",
    });
  }

  #buildRole(logGroupArn: string, kmsKeyArn: string | undefined): Role {
    const allow = (actions: string[], ...resources: string[]) =>
      new PolicyStatement({ effect: Effect.ALLOW, actions, resources });
    return new Role(this, "BuildRole", {
      description: "CodeBuild: reads the source zip, writes its log, pushes the image",
      assumedBy: new ServicePrincipal("codebuild.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
      }),
      inlinePolicies: {
        build: new PolicyDocument({
          statements: [
            allow(READ_OBJECTS, this.sourceBucket.arnForObjects("*")),
            allow(WRITE_LOG, logGroupArn, `${logGroupArn}:*`),
            allow(PUSH_IMAGE, this.repository.repositoryArn),
            allow(REGISTRY_LOGIN, "*"),
            ...(kmsKeyArn === undefined ? [] : [allow(DECRYPT, kmsKeyArn)]),
          ],
        }),
      },
    });
  }
}
