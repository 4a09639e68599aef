/** Where the agent's image is built and kept. The speech stacks know nothing of it, so either side goes alone. */
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { type AgentNames, buildBucketName, OUTPUTS } from "../lib/config/deployment-names.ts";
import type { DeploymentOptions } from "../lib/constructs/deployment-options.ts";
import { ImageBuild } from "../lib/constructs/image-build.ts";

export interface AgentFoundationStackProps extends StackProps {
  readonly names: AgentNames;
  readonly options: DeploymentOptions;
}

export class AgentFoundationStack extends Stack {
  constructor(scope: Construct, id: string, props: AgentFoundationStackProps) {
    super(scope, id, { ...props, description: "Voice agent: image repository and image build" });
    const { names, options } = props;
    const build = new ImageBuild(this, "Image", {
      image: "agent",
      architecture: "arm64",
      repositoryName: names.repository,
      projectName: names.buildProject,
      bucketName: buildBucketName(names.repository, this.account, this.region),
      logGroupName: names.buildLogGroup,
      options,
    });
    new CfnOutput(this, OUTPUTS.repositoryUri, { value: build.repository.repositoryUri });
    new CfnOutput(this, OUTPUTS.buildProject, { value: build.project.projectName });
    new CfnOutput(this, OUTPUTS.buildBucket, { value: build.sourceBucket.bucketName });
  }
}
