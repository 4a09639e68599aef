/** Resident memory of another process, as the system counts it. */
import { readFile } from "node:fs/promises";

/** @returns MiB; null where the system has no /proc (not Linux) or the process has gone. */
export async function residentMiB(pid: number): Promise<number | null> {
  try {
    return parseResidentMiB(await readFile(`/proc/${pid}/status`, "utf8"));
  } catch {
    return null;
  }
}

/** Reads the `VmRSS:  123456 kB` line of proc(5). */
export function parseResidentMiB(status: string): number | null {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}
