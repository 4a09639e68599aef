/** Resident memory of another process, as the system counts it. */
import { readFile } from "node:fs/promises";

/** @returns MiB; null where the system has no /proc (not Linux) or the process has gone. */
export async function residentMiB(pid: number): Promise<number | null> {
  return parseResidentMiB(await statusOf(pid));
}

/** The largest that it ever was. @returns as `residentMiB` */
export async function peakMiB(pid: number): Promise<number | null> {
  return parseResidentMiB(await statusOf(pid), "VmHWM");
}

async function statusOf(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
}

/** Reads the `VmRSS:  123456 kB` line of proc(5), or that of the peak. */
export function parseResidentMiB(status: string, field: "VmRSS" | "VmHWM" = "VmRSS"): number | null {
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}
