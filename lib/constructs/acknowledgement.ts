/** cdk-nag's findings that we live with, each with its reason, written where the resource is made. */
import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** @param findings rule, or `rule[finding]` where a rule has several, to the reason why it may stay. */
export function acknowledge(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
}
