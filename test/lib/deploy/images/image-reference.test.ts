import { describe, expect, it } from "vitest";
import { ecrReference } from "../../../../lib/deploy/images/image-reference.ts";

const DIGEST = `sha256:${"0a".repeat(32)}`;
/** A registry's name, in parts: the partitions have different domains. */
const registry = (region: string, domain: string) => `123456789012.dkr.ecr.${region}.${domain}`;

describe("ecrReference", () => {
  it.each([
    ["eu-west-1", "example.com", "speech:v1", { repository: "speech", tag: "v1", digest: undefined }],
    ["cn-north-1", "example.com.cn", "a/b/c:1", { repository: "a/b/c", tag: "1", digest: undefined }],
    [
      "us-gov-west-1",
      "example.com",
      `speech@${DIGEST}`,
      { repository: "speech", tag: undefined, digest: DIGEST },
    ],
    ["us-east-1", "example.com", `speech:v1@${DIGEST}`, { repository: "speech", tag: "v1", digest: DIGEST }],
  ])("takes an image in %s (%#)", (region, domain, name, parts) => {
    expect(ecrReference(`${registry(region, domain)}/${name}`)).toEqual({
      registryId: "123456789012",
      region,
      ...parts,
    });
  });

  it.each(["docker.io/library/node:24", "node", "localhost:5000/speech:v1"])("leaves %s to others", (uri) => {
    expect(ecrReference(uri)).toBeUndefined();
  });

  it.each(["speech", "Speech:v1", "speech:", "speech@sha256:12"])("fails for the ECR image %s", (name) => {
    expect(() => ecrReference(`${registry("us-east-1", "example.com")}/${name}`)).toThrow(
      expect.objectContaining({ code: "CONFIGURATION" }),
    );
  });
});
