import { expect, test } from "vitest";
import { parseResidentMiB, residentMiB } from "../../../lib/bench/resident-memory.ts";

test("reads the resident size, not the virtual one or the peak", () => {
  const status = "Name:\tnode\nVmSize:\t 9000000 kB\nVmHWM:\t  900000 kB\nVmRSS:\t  524288 kB\n";
  expect(parseResidentMiB(status)).toBe(512);
});

test("gives no figure for a text that has none, or a process that is none", async () => {
  expect(parseResidentMiB("Name:\tkthreadd\n")).toBeNull();
  expect(await residentMiB(2 ** 30)).toBeNull();
});
