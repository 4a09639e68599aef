/** What the other stacks stand on: where images are built and kept, the role that runs them, the log they write. */
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { IRole } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import {
  buildBucketName,
  modelBucketName,
  OUTPUTS,
  type SpeechNames,
} from "../lib/config/deployment-names.ts";
import { containerImage, type ImageChoice } from "../lib/constructs/container-image.ts";
import type { DeploymentOptions } from "../lib/constructs/deployment-options.ts";
import { executionRole } from "../lib/constructs/execution-role.ts";
import { ImageBuild } from "../lib/constructs/image-build.ts";
import { keptLogGroup } from "../lib/constructs/kept-log-group.ts";

export interface FoundationStackProps extends StackProps {
  readonly names: SpeechNames;
  readonly image: ImageChoice;
  readonly modelPrefix: string;
  readonly options: DeploymentOptions;
}

export class FoundationStack extends Stack {
  readonly role: IRole;

  constructor(scope: Construct, id: string, props: FoundationStackProps) {
    super(scope, id, { ...props, description: "Speech: image repository, image build, execution role, log" });
    const { names, options } = props;
    const build = new ImageBuild(this, "Image", {
      image: "tts",
      architecture: "amd64",
      repositoryName: names.repository,
      projectName: names.buildProject,
      bucketName: buildBucketName(names.repository, this.account, this.region),
      logGroupName: names.buildLogGroup,
      options,
    });
    keptLogGroup(this, "EndpointLog", names.logGroup, options);
    const role = executionRole(this, "ExecutionRole", {
      endpointName: names.endpoint,
      repositoryArn: containerImage(this, names.repository, props.image).repositoryArn,
      modelBucketName: modelBucketName(names, this.account, this.region),
      modelPrefix: props.modelPrefix,
      logGroupName: names.logGroup,
      kmsKeyArn: options.kmsKeyArn,
    });
    this.role = role.withoutPolicyUpdates();
    for (const [key, value] of Object.entries({
      [OUTPUTS.repositoryUri]: build.repository.repositoryUri,
      [OUTPUTS.buildProject]: build.project.projectName,
      [OUTPUTS.buildBucket]: build.sourceBucket.bucketName,
      [OUTPUTS.executionRoleArn]: role.roleArn,
    })) {
      new CfnOutput(this, key, { value });
    }
  }
}
