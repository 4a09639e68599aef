import type { IoRequest } from "@aws-cdk/toolkit-lib";
import { describe, expect, it } from "vitest";
import type { DeployProgress } from "../../../../lib/deploy/progress.ts";
import {
  readableName,
  ToolkitHost,
  type ToolkitMessage,
} from "../../../../lib/deploy/toolkit/toolkit-host.ts";

const BASE = { time: new Date(0), level: "info", action: "deploy", message: "" } as const;
const message = (code: ToolkitMessage["code"], data: unknown): ToolkitMessage => ({
  ...BASE,
  code: code!,
  data,
});
const question = <T>(code: IoRequest<unknown, T>["code"], defaultResponse: T): IoRequest<unknown, T> => ({
  ...BASE,
  message: "a long diff\n\nDo you wish to deploy these changes?",
  code,
  data: {},
  defaultResponse,
});

describe("ToolkitHost", () => {
  it("makes progress of a resource's event", async () => {
    const seen: DeployProgress[] = [];
    await new ToolkitHost((progress) => seen.push(progress), true).notify(
      message("CDK_TOOLKIT_I5502", {
        event: {
          StackName: "speech",
          LogicalResourceId: "Model1",
          ResourceType: "AWS::SageMaker::Model",
          ResourceStatus: "CREATE_IN_PROGRESS",
        },
        metadata: { constructPath: "/speech/Speech/Model/Model" },
        progress: { completed: 2, total: 7, formatted: "" },
      }),
    );
    expect(seen).toEqual([
      {
        kind: "resource",
        stack: "speech",
        resource: "Speech/Model",
        resourceType: "AWS::SageMaker::Model",
        status: "CREATE_IN_PROGRESS",
        completed: 2,
        total: 7,
      },
    ]);
  });

  it("remembers whether the last stack was unchanged", async () => {
    const host = new ToolkitHost(() => {}, true);
    await host.notify(message("CDK_TOOLKIT_I5900", { noOp: true }));
    expect(host.unchanged).toBe(true);
    await host.notify(message("CDK_TOOLKIT_I5900", { noOp: false }));
    expect(host.unchanged).toBe(false);
  });

  it.each(["CDK_TOOLKIT_I5050", "CDK_TOOLKIT_I5060", "CDK_TOOLKIT_I7010"] as const)(
    "says yes to %s with consent, and fails without",
    async (code) => {
      await expect(new ToolkitHost(() => {}, true).requestResponse(question(code, true))).resolves.toBe(true);
      await expect(new ToolkitHost(() => {}, false).requestResponse(question(code, true))).rejects.toThrow(
        /nobody agreed to this \(Do you wish to deploy these changes\?\); give --yes/,
      );
    },
  );

  it("fails for a question that the consent was not asked for", async () => {
    await expect(
      new ToolkitHost(() => {}, true).requestResponse(question("CDK_TOOLKIT_I3100", true)),
    ).rejects.toThrow(/nobody has agreed to \(CDK_TOOLKIT_I3100/);
  });
});

describe("readableName", () => {
  it.each([
    ["/speech/Speech/Model/Model", "Speech/Model"],
    ["/speech/Image/Repository/Resource", "Image/Repository"],
    ["/speech", undefined],
    [undefined, undefined],
  ])("%s is %s", (path, name) => {
    expect(readableName(path)).toBe(name);
  });
});
