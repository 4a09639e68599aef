/** The prepared model that the tests of this folder use; undefined: skip. */
import { modelUnderTest } from "../helpers/model-under-test.ts";

export const MODEL_DIR = (await modelUnderTest())?.path;
