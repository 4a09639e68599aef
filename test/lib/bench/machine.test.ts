import os from "node:os";
import { describe, expect, it } from "vitest";
import { describeMachine, describeVersions } from "../../../lib/bench/machine.ts";

describe("machine and versions", () => {
  it("name the hardware and the software", async () => {
    expect(describeMachine().cores).toBeGreaterThan(0);
    expect(describeMachine().platform).toBe(`${process.platform} ${process.arch}`);
    expect(await describeVersions()).toMatchObject({
      product: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: process.versions.node,
      onnxruntime: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
  });

  it("name no host, user or path", async () => {
    const told = JSON.stringify({ ...describeMachine(), ...(await describeVersions()) });
    expect(told).not.toContain(os.hostname());
    expect(told).not.toContain(os.homedir());
    expect(told).not.toContain(process.cwd());
  });
});
