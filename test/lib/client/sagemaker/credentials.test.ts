import { describe, expect, it } from "vitest";
import { anySourceConfigured, limitedProvider } from "../../../../lib/client/sagemaker/credentials.ts";

const SET = { accessKeyId: "AKID", secretAccessKey: "secret" };

describe("limitedProvider", () => {
  it("passes credentials through", async () => {
    expect(await limitedProvider(async () => SET, 1_000)()).toBe(SET);
  });

  it("fails in one sentence when a provider has nothing", async () => {
    const provider = limitedProvider(async () => {
      throw new Error("Could not load credentials from any providers");
    }, 1_000);
    await expect(provider()).rejects.toMatchObject({
      code: "CONFIGURATION",
      message: expect.stringMatching(/^no AWS credentials found; run/),
    });
  });

  it("fails when a provider takes too long, instead of waiting for it", async () => {
    await expect(limitedProvider(() => new Promise(() => {}), 20)()).rejects.toMatchObject({
      code: "CONFIGURATION",
      details: { waitedMs: 20 },
    });
  });

  it("fails on a set without a secret", async () => {
    await expect(
      limitedProvider(async () => ({ accessKeyId: "AKID", secretAccessKey: "" }), 1_000)(),
    ).rejects.toMatchObject({ code: "CONFIGURATION" });
  });

  it("tells an expired session and an unknown profile from nothing at all", async () => {
    const failing = (message: string) =>
      limitedProvider(
        async () => {
          throw new Error(message);
        },
        1_000,
        "work",
      )();
    await expect(failing("The SSO session associated with this profile has expired.")).rejects.toThrow(
      /expired; run `aws sso login --profile work`/,
    );
    await expect(
      failing("Could not resolve credentials using profile: [x] in configuration/credentials file(s)."),
    ).rejects.toThrow(/^the profile "work" gives no AWS credentials; `aws configure list-profiles`/);
    await expect(failing("Could not load credentials from any providers")).rejects.toThrow(/profile "work"/);
  });
});

describe("anySourceConfigured", () => {
  const empty = { HOME: "/nonexistent" };
  it("knows when only instance metadata is left to ask", () => {
    expect(anySourceConfigured(empty)).toBe(false);
    expect(anySourceConfigured({ ...empty, AWS_ACCESS_KEY_ID: "AKID" })).toBe(true);
    expect(
      anySourceConfigured({ ...empty, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://169.254.170.23/v1" }),
    ).toBe(true);
    expect(anySourceConfigured({ ...empty, AWS_CONFIG_FILE: import.meta.filename })).toBe(true);
  });
});
