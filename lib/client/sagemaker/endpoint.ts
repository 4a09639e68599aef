/**
 * Where a SageMaker endpoint is reached. One host serves both kinds of call: port 443 the plain invocations, port
 * 8443 the bidirectional stream (HTTP/2 only). The host name follows from the region's partition; an override
 * (a local front door, a VPC endpoint) replaces host, port and scheme of both.
 */
import { partition } from "@aws-sdk/core/client";
import { SpeechError } from "../../errors.ts";

/** Port of InvokeEndpointWithBidirectionalStream (service model sagemaker-runtime-http2, 2025-10-01). */
const BIDI_PORT = 8443;

/** SageMaker's own rule for the name of an endpoint. */
const ENDPOINT_NAME = /^[A-Za-z0-9](-*[A-Za-z0-9]){0,62}$/;
const REGION = /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/;

export interface SpeechEndpointOptions {
  readonly endpointName: string;
  readonly region: string;
  /** FIPS 140 validated host; in every region that has one, not only GovCloud. @default false */
  readonly useFips?: boolean;
  /** `https://host[:port]` or, for HTTP/2 without TLS, `http://host:port`. Its path is ignored. */
  readonly overrideUrl?: string | URL;
}

export interface SpeechEndpoint {
  readonly endpointName: string;
  readonly region: string;
  /** URL of the bidirectional stream. `http:` means h2c. */
  readonly bidiUrl: URL;
  /** URL of the whole invocation. */
  readonly invocationUrl: URL;
  /** URL of the invocation whose answer is an event stream. */
  readonly responseStreamUrl: URL;
}

/** @throws {SpeechError} CONFIGURATION when name, region or URL cannot be right. */
export function resolveSpeechEndpoint(options: SpeechEndpointOptions): SpeechEndpoint {
  const { endpointName, region } = options;
  if (!ENDPOINT_NAME.test(endpointName)) {
    throw new SpeechError(
      "CONFIGURATION",
      `the endpoint's name must be 1 to 63 letters, digits and hyphens, got "${endpointName.slice(0, 80)}"`,
    );
  }
  if (!REGION.test(region)) {
    throw new SpeechError(
      "CONFIGURATION",
      `the AWS region must look like us-east-1, got "${region.slice(0, 40)}"; set AWS_REGION`,
    );
  }
  const origin = options.overrideUrl === undefined ? undefined : overrideOrigin(options.overrideUrl);
  const host = `${options.useFips ? "runtime-fips" : "runtime"}.sagemaker.${region}.${partition(region).dnsSuffix}`;
  const path = `/endpoints/${endpointName}`;
  return {
    endpointName,
    region,
    bidiUrl: new URL(`${path}/invocations-bidirectional-stream`, origin ?? `https://${host}:${BIDI_PORT}`),
    invocationUrl: new URL(`${path}/invocations`, origin ?? `https://${host}`),
    responseStreamUrl: new URL(`${path}/invocations-response-stream`, origin ?? `https://${host}`),
  };
}

function overrideOrigin(override: string | URL): string {
  const url = URL.canParse(String(override)) ? new URL(override) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new SpeechError(
      "CONFIGURATION",
      `the endpoint's URL must begin with http:// or https://, got "${String(override).slice(0, 80)}"`,
    );
  }
  return url.origin;
}
