/** Where a side's images lie. A tag says what was built and is never moved, so a deployed tag always means one image. */
import { RemovalPolicy } from "aws-cdk-lib";
import { Repository, RepositoryEncryption, TagMutability } from "aws-cdk-lib/aws-ecr";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/** Enough to roll back to; the newest is the one that runs. */
const IMAGES_KEPT = 5;

export interface ImageRepositoryProps {
  readonly repositoryName: string;
  readonly kmsKeyArn: string | undefined;
}

export function imageRepository(scope: Construct, id: string, props: ImageRepositoryProps): Repository {
  const { repositoryName, kmsKeyArn } = props;
  return new Repository(scope, id, {
    repositoryName,
    imageScanOnPush: true,
    imageTagMutability: TagMutability.IMMUTABLE,
    lifecycleRules: [{ description: `keep the last ${IMAGES_KEPT} images`, maxImageCount: IMAGES_KEPT }],
    ...(kmsKeyArn !== undefined && {
      encryption: RepositoryEncryption.KMS,
      encryptionKey: Key.fromKeyArn(scope, `${id}Key`, kmsKeyArn),
    }),
    removalPolicy: RemovalPolicy.RETAIN,
  });
}
