/** The endpoint as SageMaker sees it, which is more than CloudFormation knows. */
import {
  DescribeEndpointCommand,
  DescribeEndpointConfigCommand,
  type DescribeEndpointOutput,
  type SageMakerClient,
} from "@aws-sdk/client-sagemaker";

export interface EndpointState {
  /** Creating, Updating, RollingBack, InService, Failed, ... */
  readonly status: string;
  readonly failureReason?: string;
  /** Of the first variant. */
  readonly instanceType: string | undefined;
}

export async function readEndpoint(
  client: SageMakerClient,
  endpointName: string,
  abortSignal: AbortSignal,
): Promise<EndpointState | undefined> {
  const found = await describe(client, endpointName, abortSignal);
  if (found === undefined) return undefined;
  return {
    status: found.EndpointStatus!,
    ...(found.FailureReason !== undefined && { failureReason: found.FailureReason }),
    instanceType: await instanceTypeOf(client, found.EndpointConfigName, abortSignal),
  };
}

/** One that failed serves nobody, and SageMaker takes no update for it: it must be made anew. */
export function isBeyondRepair(endpoint: EndpointState | undefined): boolean {
  return endpoint === undefined || endpoint.status === "Failed" || endpoint.status === "UpdateRollbackFailed";
}

const AT_REST = ["InService", "Failed", "OutOfService", "UpdateRollbackFailed"];

/**
 * SageMaker refuses to delete an endpoint that it is making or changing ("Cannot update in-progress endpoint"), and the
 * deletion of its stack fails with it: there is nothing to do but wait, for up to an hour.
 *
 * @param wait tells the state and passes the time.
 */
export async function endpointAtRest(
  read: () => Promise<EndpointState | undefined>,
  wait: (endpoint: EndpointState) => Promise<void>,
): Promise<void> {
  for (;;) {
    const now = await read();
    if (now === undefined || AT_REST.includes(now.status)) return;
    await wait(now);
  }
}

/** What is being waited for, in words. */
export function waitingFor({ status }: EndpointState, endpointName: string): string {
  const words: Readonly<Record<string, string>> = {
    Creating: "is Creating: an instance starts, fetches image and weights, and warms up",
    Updating: "is Updating: a second fleet starts beside the first and takes over",
    SystemUpdating: "is SystemUpdating: SageMaker renews its own software",
    RollingBack: "is RollingBack to what it was",
    Deleting: "is Deleting",
  };
  return `endpoint ${endpointName} ${words[status] ?? `is ${status}`}`;
}

async function describe(
  client: SageMakerClient,
  EndpointName: string,
  abortSignal: AbortSignal,
): Promise<DescribeEndpointOutput | undefined> {
  try {
    return await client.send(new DescribeEndpointCommand({ EndpointName }), { abortSignal });
  } catch (error) {
    if (error instanceof Error && /could not find endpoint/i.test(error.message)) return undefined;
    throw error;
  }
}

/** A configuration may be deleted while its endpoint lives on. */
async function instanceTypeOf(
  client: SageMakerClient,
  name: string | undefined,
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  try {
    const config = await client.send(new DescribeEndpointConfigCommand({ EndpointConfigName: name }), {
      abortSignal,
    });
    return config.ProductionVariants?.[0]?.InstanceType;
  } catch (error) {
    abortSignal.throwIfAborted();
    if (error instanceof Error && /could not find/i.test(error.message)) return undefined;
    throw error;
  }
}
