/** The agent on AgentCore: what it is told, and what it may do. */
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { agent, flat, type statements } from "../helpers/synthesized-apps.ts";

const STACK = "voice-agent-runtime";
const template = () => agent().template(STACK);

describe("the runtime", () => {
  it("runs the image with endpoint, model and region told", () => {
    template().hasResourceProperties("AWS::BedrockAgentCore::Runtime", {
      AgentRuntimeName: "voice_agent",
      AgentRuntimeArtifact: {
        ContainerConfiguration: {
          ContainerUri: {
            "Fn::Join": [
              "",
              ["123456789012.dkr.ecr.eu-west-1.", { Ref: "AWS::URLSuffix" }, "/voice-agent:4567cdef"],
            ],
          },
        },
      },
      EnvironmentVariables: {
        HOST: "0.0.0.0",
        AWS_REGION: "eu-west-1",
        SPEECH_ENDPOINT_NAME: "speech-kokoro-82m",
        BEDROCK_MODEL_ID: "eu.amazon.nova-lite-v1:0",
      },
      ProtocolConfiguration: "HTTP",
    });
  });

  it("is named as AgentCore allows, whatever the stage", () => {
    agent({ stage: "dev" })
      .template("dev-voice-agent-runtime")
      .hasResourceProperties("AWS::BedrockAgentCore::Runtime", {
        AgentRuntimeName: "dev_voice_agent",
      });
  });

  it("is called by an endpoint that follows each version", () => {
    template().hasResourceProperties("AWS::BedrockAgentCore::RuntimeEndpoint", {
      Name: "live",
      AgentRuntimeVersion: { "Fn::GetAtt": [Match.stringLikeRegexp("^AgentRuntime"), "AgentRuntimeVersion"] },
    });
  });

  it("has its log group before its endpoint, so that the group has an end date", () => {
    const [logId] = Object.keys(template().findResources("AWS::Logs::LogGroup"));
    template().hasResource("AWS::BedrockAgentCore::RuntimeEndpoint", { DependsOn: Match.arrayWith([logId]) });
    const { LogGroupName, RetentionInDays } =
      template().findResources("AWS::Logs::LogGroup")[logId!]!.Properties;
    expect(flat(LogGroupName)).toMatch(
      /^\/aws\/bedrock-agentcore\/runtimes\/<AgentRuntime\w+\.AgentRuntimeId>-live$/,
    );
    expect(RetentionInDays).toBe(30);
  });

  it("says what it speaks with, for speech-infra destroy to see", () => {
    template().hasOutput("SpeechEndpointName", { Value: "speech-kokoro-82m" });
    template().hasOutput("BedrockModelId", { Value: "eu.amazon.nova-lite-v1:0" });
    for (const output of ["RuntimeArn", "RuntimeId", "RuntimeEndpointName", "ImageUri"]) {
      template().hasOutput(output, {});
    }
  });
});

describe("its role", () => {
  it("may do exactly this", () => {
    const [role] = Object.values(template().findResources("AWS::IAM::Role"));
    const log =
      "arn:<AWS::Partition>:logs:eu-west-1:123456789012:log-group:/aws/bedrock-agentcore/runtimes/voice_agent-*";
    const model = "foundation-model/amazon.nova-lite-v1:0";
    expect(allowed(role)).toEqual([
      [
        "sagemaker:InvokeEndpointWithBidirectionalStream sagemaker:InvokeEndpointWithResponseStream sagemaker:InvokeEndpoint",
        "arn:<AWS::Partition>:sagemaker:eu-west-1:123456789012:endpoint/speech-kokoro-82m",
      ],
      [
        "bedrock:InvokeModelWithResponseStream bedrock:InvokeModel",
        "arn:<AWS::Partition>:bedrock:eu-west-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0",
      ],
      [
        "bedrock:InvokeModelWithResponseStream bedrock:InvokeModel",
        `arn:<AWS::Partition>:bedrock:eu-west-1::${model} arn:<AWS::Partition>:bedrock:eu-*::${model}`,
      ],
      [
        "ecr:BatchCheckLayerAvailability ecr:BatchGetImage ecr:GetDownloadUrlForLayer",
        "arn:<AWS::Partition>:ecr:eu-west-1:123456789012:repository/voice-agent",
      ],
      ["ecr:GetAuthorizationToken", "*"],
      [
        "logs:CreateLogGroup logs:DescribeLogStreams logs:CreateLogStream logs:PutLogEvents",
        `${log} ${log}:*`,
      ],
      ["logs:DescribeLogGroups", "arn:<AWS::Partition>:logs:eu-west-1:123456789012:log-group:*"],
      ["xray:PutTraceSegments xray:PutTelemetryRecords xray:GetSamplingRules xray:GetSamplingTargets", "*"],
      ["cloudwatch:PutMetricData", "*"],
    ]);
  });

  it.each(["", "*", "speech-*", "a_b", "a".repeat(64)])("fails for the endpoint %j", (speechEndpointName) => {
    expect(() => agent({ speechEndpointName })).toThrow(/^speechEndpointName must be 1 to 63 letters/);
  });

  it("has no other policy, of CDK's making", () => {
    template().resourceCountIs("AWS::IAM::Policy", 0);
    template().resourceCountIs("AWS::IAM::Role", 1);
  });
});

/** As `statements`, with two of the same actions kept apart. */
function allowed(role: unknown): [string, string][] {
  const resource = role as Parameters<typeof statements>[0];
  const [policy] = resource.Properties.Policies as {
    PolicyDocument: { Statement: { Action: string | string[]; Resource: unknown }[] };
  }[];
  return policy!.PolicyDocument.Statement.map(({ Action, Resource }) => [
    [Action].flat().join(" "),
    flat(Resource),
  ]);
}
