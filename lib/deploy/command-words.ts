/** Commands as they are typed next, in messages. */
import { STAGE_DEFAULT } from "../config/deployment-names.ts";

/** ` --stage dev`, nothing for the stage that is meant anyway. */
export function addedFlags(stage: string): string {
  return stage === STAGE_DEFAULT ? "" : ` --stage ${stage}`;
}
