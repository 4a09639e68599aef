import { expect, test } from "vitest";
import { PRODUCT_VERSION } from "../../../lib/config/product.ts";

test("the version is a semantic one", () => {
  expect(PRODUCT_VERSION).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
});
