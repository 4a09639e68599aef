/**
 * May this account run so many instances of the type? New accounts have 0 of most GPU types, which a deployment would
 * find out after the image was built.
 */
import {
  ListAWSDefaultServiceQuotasCommand,
  ListServiceQuotasCommand,
  type ServiceQuota,
  ServiceQuotasClient,
} from "@aws-sdk/client-service-quotas";
import type { AwsPlace } from "../aws-clients.ts";
import { asking } from "../aws-failure.ts";
import { checkOptions } from "./check-clients.ts";
import { type Check, type Finding, failed, ok, warning } from "./finding.ts";

const SERVICE = "sagemaker";

export interface WantedInstances {
  readonly instanceType: string;
  readonly minInstances: number;
  readonly maxInstances: number;
}

export function quotaCheck(place: AwsPlace, wanted: WantedInstances): Check {
  const name = `${wanted.instanceType} for endpoint usage`;
  return {
    name: "quota",
    subject: `the quota "${name}"`,
    needsAws: true,
    run: async (signal) => {
      const client = new ServiceQuotasClient(checkOptions(place));
      // Names are the only key that is documented; codes are opaque.
      const matches = (quota: ServiceQuota) => quota.QuotaName === name;
      const [applied, byDefault] = await Promise.all([
        findQuota(
          (NextToken) =>
            asking("servicequotas:ListServiceQuotas", place.region, signal, () =>
              client.send(
                new ListServiceQuotasCommand({ ServiceCode: SERVICE, MaxResults: 100, NextToken }),
                {
                  abortSignal: signal,
                },
              ),
            ),
          matches,
        ),
        // A quota that was never changed is not always among the applied ones.
        findQuota(
          (NextToken) =>
            asking("servicequotas:ListAWSDefaultServiceQuotas", place.region, signal, () =>
              client.send(
                new ListAWSDefaultServiceQuotasCommand({ ServiceCode: SERVICE, MaxResults: 100, NextToken }),
                { abortSignal: signal },
              ),
            ),
          matches,
        ),
      ]);
      return judgeQuota(applied ?? byDefault, wanted, place.region);
    },
  };
}

async function findQuota(
  page: (token: string | undefined) => Promise<{ Quotas?: ServiceQuota[]; NextToken?: string }>,
  matches: (quota: ServiceQuota) => boolean,
): Promise<ServiceQuota | undefined> {
  let token: string | undefined;
  do {
    const { Quotas = [], NextToken } = await page(token);
    const found = Quotas.find(matches);
    if (found !== undefined) return found;
    token = NextToken;
  } while (token !== undefined);
  return undefined;
}

/** An update runs the new fleet beside the old one, so twice as many are wanted for a while. */
export function judgeQuota(
  quota: Pick<ServiceQuota, "Value" | "QuotaCode"> | undefined,
  { instanceType, minInstances, maxInstances }: WantedInstances,
  region: string,
): Finding {
  if (quota?.Value === undefined) {
    return failed(
      "quota",
      `SageMaker has no quota for endpoints on ${instanceType} in ${region}: the type may not be offered there`,
      "choose another --instance-type or --region",
    );
  }
  const value = quota.Value;
  const best = Math.max(2 * minInstances, maxInstances);
  const next =
    `aws service-quotas request-service-quota-increase --service-code ${SERVICE} ` +
    `--quota-code ${quota.QuotaCode} --desired-value ${best} --region ${region}`;
  if (value < minInstances) {
    return failed(
      "quota",
      `the account may run ${value} of ${instanceType} for endpoints in ${region}, ${minInstances} needed`,
      next,
    );
  }
  if (value < best) {
    return warning(
      "quota",
      `the account may run ${value} of ${instanceType} for endpoints; an update beside the old fleet and scaling ` +
        `out would take ${best}`,
      next,
    );
  }
  return ok("quota", `${value} of ${instanceType} for endpoints`);
}
