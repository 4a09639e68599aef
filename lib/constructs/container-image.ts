/**
 * The image that a model or runtime runs: a tag in the side's own repository, or somebody else's image. Both services
 * take images from ECR only, so a foreign one is told by its URI, and its repository may be pulled from.
 */
import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { SpeechError } from "../errors.ts";
import { repositoryArn } from "./resource-names.ts";

export interface ImageChoice {
  /** Tag in the side's own repository. */
  readonly imageTag?: string;
  /** An image elsewhere in ECR, instead. */
  readonly imageUri?: string;
}

export interface ContainerImage {
  readonly uri: string;
  readonly repositoryArn: string;
}

/** 123456789012.dkr.ecr.eu-west-1.<suffix>/team/image:tag, or @sha256:... */
const ECR_URI = /^(\d{12})\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.([a-z0-9.-]+)\/([a-z0-9._/-]+)([:@].+)$/;
/** https://docs.docker.com/reference/cli/docker/image/tag/ */
const TAG_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** @throws {SpeechError} CONFIGURATION unless there is exactly one, and well formed. */
export function containerImage(scope: Construct, repository: string, choice: ImageChoice): ContainerImage {
  const stack = Stack.of(scope);
  const { imageTag, imageUri } = choice;
  if ((imageTag === undefined) === (imageUri === undefined)) {
    throw new SpeechError("CONFIGURATION", "give either imageTag or imageUri: which image is to run");
  }
  if (imageUri !== undefined) return foreignImage(stack, imageUri);
  if (!TAG_PATTERN.test(imageTag!)) {
    throw new SpeechError(
      "CONFIGURATION",
      `imageTag must be a tag such as 1.2.3, got "${imageTag!.slice(0, 140)}"`,
    );
  }
  return {
    uri: `${stack.account}.dkr.ecr.${stack.region}.${stack.urlSuffix}/${repository}:${imageTag}`,
    repositoryArn: repositoryArn(stack, repository),
  };
}

function foreignImage(stack: Stack, uri: string): ContainerImage {
  const [, account, region, , repository] = ECR_URI.exec(uri) ?? [];
  if (account === undefined || region === undefined || repository === undefined) {
    throw new SpeechError(
      "CONFIGURATION",
      `imageUri must be an image in ECR with a tag or digest, ` +
        `ACCOUNT.dkr.ecr.REGION.SUFFIX/REPOSITORY:TAG, got "${uri.slice(0, 200)}"`,
    );
  }
  const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
  const resource = { service: "ecr", resource: "repository", resourceName: repository, arnFormat };
  return { uri, repositoryArn: stack.formatArn({ ...resource, account, region }) };
}
