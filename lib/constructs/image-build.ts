/**
 * Builds an image where no Docker engine is at hand: a source zip is put into the bucket, and a build of this project
 * is started with IMAGE_TAG and VARIANT.
 */
import { Duration, Stack } from "aws-cdk-lib";
import { ComputeType, LinuxArmBuildImage, LinuxBuildImage, Project, Source } from "aws-cdk-lib/aws-codebuild";
import type { Repository } from "aws-cdk-lib/aws-ecr";
import type { Role } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { acknowledge } from "./acknowledgement.ts";
import { type ImageName, imageBuildSpec } from "./build-spec.ts";
import type { DeploymentOptions } from "./deployment-options.ts";
import { imageRepository } from "./image-repository.ts";
import { keptLogGroup } from "./kept-log-group.ts";
import {
  DECRYPT,
  PUSH_IMAGE,
  READ_SOURCE,
  READ_SOURCE_BUCKET,
  REGISTRY_LOGIN,
  WRITE_LOG,
} from "./permissions.ts";
import { privateBucket } from "./private-bucket.ts";
import { bucketArn, logGroupArns, repositoryArn } from "./resource-names.ts";
import { serviceRole } from "./service-role.ts";

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
      role: this.#buildRole(props).withoutPolicyUpdates(),
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

  #buildRole(props: ImageBuildProps): Role {
    const { kmsKeyArn } = props.options;
    const stack = Stack.of(this);
    const bucket = bucketArn(stack, props.bucketName);
    const [logGroup, logStreams] = logGroupArns(stack, props.logGroupName);
    return serviceRole(this, "BuildRole", {
      description: "CodeBuild: reads the source zip, writes its log, pushes the image",
      servicePrincipal: "codebuild.amazonaws.com",
      grants: [
        {
          actions: READ_SOURCE,
          resources: [`${bucket}/*`],
          wildcard: "Each build's source has a name of its own; the bucket holds nothing else.",
        },
        { actions: READ_SOURCE_BUCKET, resources: [bucket] },
        {
          actions: WRITE_LOG,
          resources: [logGroup, logStreams],
          wildcard: "Each build names a log stream of its own.",
        },
        { actions: PUSH_IMAGE, resources: [repositoryArn(stack, props.repositoryName)] },
        { actions: REGISTRY_LOGIN, resources: ["*"], wildcard: "A login at ECR knows no resource." },
        ...(kmsKeyArn === undefined ? [] : [{ actions: DECRYPT, resources: [kmsKeyArn] }]),
      ],
    });
  }
}
