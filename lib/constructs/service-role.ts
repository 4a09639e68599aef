/**
 * A role that an AWS service assumes for us, with all its permissions in it from the start: nothing waits for a policy,
 * and no construct adds to it. Each grant says why its resource is no narrower, where it ends in an asterisk.
 */
import { Stack } from "aws-cdk-lib";
import { Effect, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Construct } from "constructs";
import { acknowledge } from "./acknowledgement.ts";

export interface Grant {
  /** A list of permissions.ts. */
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
  /** Why a resource with an asterisk cannot be narrower. */
  readonly wildcard?: string;
}

export interface ServiceRoleProps {
  readonly description: string;
  /** sagemaker.amazonaws.com: the same in every partition. */
  readonly servicePrincipal: string;
  readonly grants: readonly Grant[];
}

export function serviceRole(scope: Construct, id: string, props: ServiceRoleProps): Role {
  const { account } = Stack.of(scope);
  const role = new Role(scope, id, {
    description: props.description,
    // No other account may have the service act through this role.
    assumedBy: new ServicePrincipal(props.servicePrincipal, {
      conditions: { StringEquals: { "aws:SourceAccount": account } },
    }),
    inlinePolicies: { permissions: new PolicyDocument({ statements: props.grants.map(statement) }) },
  });
  acknowledgeWildcards(role, props.grants);
  return role;
}

function statement({ actions, resources, conditions }: Grant): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions !== undefined && { conditions }),
  });
}

function acknowledgeWildcards(role: Role, grants: readonly Grant[]): void {
  const findings = new Map<string, string[]>();
  for (const { resources, wildcard } of grants) {
    if (wildcard === undefined) continue;
    for (const resource of resources.filter((name) => name.includes("*"))) {
      const finding = `AwsSolutions-IAM5[Resource::${flattened(Stack.of(role).resolve(resource))}]`;
      findings.set(finding, [...(findings.get(finding) ?? []), wildcard]);
    }
  }
  for (const [finding, reasons] of findings) acknowledge(role, { [finding]: reasons.join(" ") });
}

/** As cdk-nag 3 writes a resource in a finding: `arn:<AWS::Partition>:s3:::bucket/*`, `<Bucket.Arn>/*`. */
function flattened(value: unknown): string {
  if (typeof value === "string") return value;
  const [[name, argument]] = Object.entries(value as Record<string, unknown>) as [[string, unknown]];
  if (name === "Fn::Join") {
    const [delimiter, parts] = argument as [string, unknown[]];
    return parts.map(flattened).join(delimiter);
  }
  return `<${Array.isArray(argument) ? argument.join(".") : argument}>`;
}
