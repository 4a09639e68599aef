/** Marks a resource as this product's, of one stage: `destroy --purge` deletes only what is marked. */
import { Tags } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import { TAGS } from "../config/deployment-names.ts";

export function tagAsOurs(scope: IConstruct, stage: string): void {
  Tags.of(scope).add(TAGS.productKey, TAGS.product);
  Tags.of(scope).add(TAGS.stageKey, stage);
}
