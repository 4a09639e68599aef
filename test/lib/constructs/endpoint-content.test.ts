/** The hash that names an endpoint's configuration. */
import { expect, it } from "vitest";
import {
  contentHash,
  type EndpointContent,
  endpointContent,
} from "../../../lib/constructs/endpoint-content.ts";

const CONTENT = endpointContent({
  image: "a",
  modelPrefix: "model/",
  instanceType: "ml.g5.xlarge",
  device: "cuda",
});

it("changes with every field, and with every variable", () => {
  const changes: Partial<EndpointContent>[] = [
    { image: "b" },
    { environment: { ...CONTENT.environment, SPEECH_WORKERS: "2" } },
    { environment: { HOST: CONTENT.environment.HOST! } },
    { modelPrefix: "model/2/" },
    { instanceType: "ml.g6.xlarge" },
    { instanceCount: 2 },
    { inferenceAmiVersion: undefined },
    { modelDownloadTimeoutSeconds: 60 },
    { startupHealthCheckTimeoutSeconds: 60 },
  ];
  expect(new Set(changes.flatMap(Object.keys))).toEqual(new Set(Object.keys(CONTENT)));
  const hashes = [CONTENT, ...changes.map((change) => ({ ...CONTENT, ...change }))].map(contentHash);
  expect(new Set(hashes).size).toBe(hashes.length);
});

it("does not depend on the order in which fields were written", () => {
  const reversed = Object.fromEntries(Object.entries(CONTENT).reverse()) as unknown as EndpointContent;
  expect(contentHash(reversed)).toBe(contentHash(CONTENT));
});
