/**
 * What CodeBuild does with the source zip: the same `docker buildx build` as on a workstation with an engine. The zip's
 * root is the build's context, with container/<image>/Dockerfile in it.
 */
import { BuildSpec } from "aws-cdk-lib/aws-codebuild";

export type ImageName = "tts" | "agent";

/**
 * SageMaker refuses OCI manifests, and provenance would make an index of one image
 * (https://docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html takes Docker's media types).
 * `--build-arg NAME` without a value takes it from the environment.
 */
export function imageBuildSpec(image: ImageName, platform: string): BuildSpec {
  return BuildSpec.fromObject({
    version: "0.2",
    phases: {
      pre_build: {
        commands: [
          'aws ecr get-login-password | docker login --username AWS --password-stdin "$' +
            '{REPOSITORY_URI%%/*}"',
        ],
      },
      build: {
        commands: [
          [
            "docker buildx build",
            `--platform ${platform}`,
            "--provenance=false",
            "--output type=registry,oci-mediatypes=false",
            "--build-arg VARIANT",
            `--file container/${image}/Dockerfile`,
            '--tag "$REPOSITORY_URI:$IMAGE_TAG"',
            ".",
          ].join(" "),
        ],
      },
    },
  });
}
