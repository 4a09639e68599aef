/** The agent's own repository and build, for linux/arm64. */
import { Match } from "aws-cdk-lib/assertions";
import { it } from "vitest";
import { agent } from "../helpers/synthesized-apps.ts";

const template = () => agent().template("voice-agent-foundation");

it("builds on ARM, which AgentCore runs", () => {
  template().hasResourceProperties("AWS::CodeBuild::Project", {
    Name: "voice-agent-image",
    Environment: Match.objectLike({ Type: "ARM_CONTAINER", PrivilegedMode: true }),
    Source: Match.objectLike({
      BuildSpec: Match.stringLikeRegexp("--platform linux/arm64 .*container/agent/Dockerfile"),
    }),
  });
});

it("keeps images, source and build log", () => {
  template().hasResource("AWS::ECR::Repository", {
    DeletionPolicy: "Retain",
    Properties: { RepositoryName: "voice-agent", ImageTagMutability: "IMMUTABLE" },
  });
  template().hasResource("AWS::S3::Bucket", {
    DeletionPolicy: "Retain",
    Properties: { BucketName: "voice-agent-src-123456789012-eu-west-1" },
  });
  template().hasResource("AWS::Logs::LogGroup", {
    DeletionPolicy: "Retain",
    Properties: { LogGroupName: "/aws/codebuild/voice-agent-image" },
  });
});

it("names what the commands ask for", () => {
  for (const output of ["RepositoryUri", "BuildProject", "BuildBucket"]) template().hasOutput(output, {});
});
