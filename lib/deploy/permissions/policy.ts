/**
 * IAM policies as data: what is allowed, on which resources, and why. Names are those of one stage; account, region and
 * partition are an asterisk where they are not said, so that a policy can be printed without credentials.
 */
import { partition } from "@aws-sdk/core/client";

export interface PolicyPlace {
  /** 12 digits; `*` fits any. */
  readonly account: string;
  /** `*` fits any, in any partition. */
  readonly region: string;
}

/** One thing that somebody must be allowed to do. */
export interface Permission {
  /** Letters and digits: IAM's name for the statement. */
  readonly sid: string;
  readonly reason: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export interface PolicyDocument {
  readonly Version: "2012-10-17";
  readonly Statement: readonly object[];
}

export function policyDocument(permissions: readonly Permission[]): PolicyDocument {
  return {
    Version: "2012-10-17",
    Statement: permissions.map(({ sid, actions, resources, conditions }) => ({
      Sid: sid,
      Effect: "Allow",
      Action: [...new Set(actions)].sort(),
      Resource: resources,
      ...(conditions !== undefined && { Condition: conditions }),
    })),
  };
}

/** Of a managed policy, white space not counted: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html */
export const MANAGED_POLICY_MAX_CHARS = 6_144;

export function policyChars(document: PolicyDocument): number {
  return JSON.stringify(document).replaceAll(/\s/g, "").length;
}

/** ARNs of one place. */
export class Arns {
  readonly #place: PolicyPlace;
  readonly #partition: string;

  constructor(place: PolicyPlace) {
    this.#place = place;
    this.#partition = place.region === "*" ? "*" : partition(place.region).name;
  }

  regional(service: string, ...resources: string[]): string[] {
    const { region, account } = this.#place;
    return resources.map((resource) => `arn:${this.#partition}:${service}:${region}:${account}:${resource}`);
  }

  /** IAM is in no region. */
  roles(...names: string[]): string[] {
    return names.map((name) => `arn:${this.#partition}:iam::${this.#place.account}:role/${name}`);
  }

  /** CloudWatch's dashboards are in no region. */
  dashboards(...names: string[]): string[] {
    return names.map((name) => `arn:${this.#partition}:cloudwatch::${this.#place.account}:dashboard/${name}`);
  }

  /** @param objects `/*` for what lies in them. */
  buckets(names: readonly string[], objects = ""): string[] {
    return names.map((name) => `arn:${this.#partition}:s3:::${name}${objects}`);
  }

  /** Groups, and their streams. */
  logGroups(names: readonly string[]): string[] {
    return names.flatMap((name) => this.regional("logs", `log-group:${name}`, `log-group:${name}:*`));
  }
}
