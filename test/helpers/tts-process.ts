/** A container's main run as a process: its log lines as they come, its exit, and an end for all of them. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { processEnvironment } from "../../lib/config/environment.ts";

type LogLine = Record<string, unknown> & { event: string };
export interface Running {
  readonly child: ChildProcess;
  readonly lines: LogLine[];
  readonly stderr: () => string;
  readonly exited: Promise<number | null>;
  until(event: string): Promise<LogLine>;
}

const running: ChildProcess[] = [];

export function killProcesses(): void {
  for (const child of running.splice(0)) child.kill("SIGKILL");
}

export function runProcess(
  file: string,
  args: string[],
  env: Record<string, string>,
  withIpc = false,
): Running {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: processEnvironment().PATH, HOME: processEnvironment().HOME, ...env },
    stdio: withIpc ? ["ignore", "pipe", "pipe", "ipc"] : ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  const lines: LogLine[] = [];
  let stderr = "";
  child.stderr!.on("data", (data) => {
    stderr += data;
  });
  const reader = createInterface({ input: child.stdout! });
  reader.on("line", (line) => lines.push(JSON.parse(line)));
  // Not "close": Node does not emit it for a child whose IPC channel the parent closed.
  const exited = Promise.all([
    new Promise<number | null>((resolve) => child.on("exit", resolve)),
    new Promise((resolve) => reader.on("close", resolve)),
  ]).then(([code]) => code);
  const until = async (event: string) => {
    let isOver = false;
    void exited.then(() => {
      isOver = true;
    });
    for (;;) {
      const line = lines.find((entry) => entry.event === event);
      if (line) return line;
      if (isOver) throw new Error(`ended without ${event}: ${JSON.stringify(lines)} ${stderr}`);
      await sleep(10);
    }
  };
  return { child, lines, stderr: () => stderr, exited, until };
}
