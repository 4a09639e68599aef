import { afterEach, describe, expect, it } from "vitest";
import { applyAwsSelection, readCliSettings } from "../../../lib/config/cli-settings.ts";

describe("readCliSettings", () => {
  it("has defaults for an empty environment", () => {
    expect(readCliSettings({})).toEqual({
      plainTerminal: false,
      debug: false,
      region: undefined,
      speechEndpointUrl: undefined,
    });
  });

  it.each([{ TERM: "dumb" }, { CI: "true" }, { CI: "1" }])("moves no cursor with %j", (env) => {
    expect(readCliSettings(env).plainTerminal).toBe(true);
  });

  it("prefers AWS_REGION to AWS_DEFAULT_REGION", () => {
    expect(readCliSettings({ AWS_REGION: "a", AWS_DEFAULT_REGION: "b" }).region).toBe("a");
    expect(readCliSettings({ AWS_REGION: "", AWS_DEFAULT_REGION: "b" }).region).toBe("b");
  });
});

describe("applyAwsSelection", () => {
  const names = [
    "AWS_REGION",
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
  ];
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  it("leaves everything where no flag was given", () => {
    process.env.AWS_ACCESS_KEY_ID = "key";
    expect(applyAwsSelection({}, { AWS_REGION: "a" })).toEqual({ AWS_REGION: "a" });
    expect(process.env.AWS_ACCESS_KEY_ID).toBe("key");
  });

  it("chooses a profile over keys in the environment, here and for what is started", () => {
    process.env.AWS_ACCESS_KEY_ID = "key";
    const env = applyAwsSelection(
      { profile: "mine", region: "eu-west-1" },
      { AWS_ACCESS_KEY_ID: "key", PATH: "p" },
    );
    expect(env).toMatchObject({ AWS_PROFILE: "mine", AWS_REGION: "eu-west-1", PATH: "p" });
    expect(env.AWS_ACCESS_KEY_ID).toBeUndefined();
    expect(process.env.AWS_ACCESS_KEY_ID).toBeUndefined();
    expect(process.env.AWS_PROFILE).toBe("mine");
  });
});
