/** Small programs that behave like services, well or badly, written to a folder of their own. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const LISTEN = `
import { createServer } from "node:http";
const server = createServer((_, answer) => answer.end());
const log = (fields) => process.stdout.write(JSON.stringify(fields) + "\\n");
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () =>
  log({ level: "info", event: "listening", host: "127.0.0.1", port: server.address().port }));
`;

export const SERVICE_SCRIPTS = {
  obedient: `${LISTEN} process.on("SIGTERM", () => process.exit(0));`,
  stubborn: `${LISTEN} process.on("SIGTERM", () => {});`,
  /** Never says that it listens, and does not end by itself. */
  silent: `setInterval(() => {}, 1000);`,
  chatty: `${LISTEN} setInterval(() => process.stdout.write("x".repeat(1 << 20)), 1);`,
  refuses: `process.stdout.write(JSON.stringify({ level: "error", event: "start_failed",
    error: { code: "WEIGHTS_UNAVAILABLE", message: "no model in this folder" } }) + "\\n"); process.exit(2);`,
  crashes: `throw new TypeError("boom");`,
  leaves: `${LISTEN} setTimeout(() => process.exit(3), 300);`,
} as const;

export interface ServiceScripts {
  path(name: keyof typeof SERVICE_SCRIPTS): string;
  remove(): Promise<void>;
}

export async function writeServiceScripts(): Promise<ServiceScripts> {
  const folder = await mkdtemp(join(tmpdir(), "services-"));
  const path = (name: string) => join(folder, `${name}.mjs`);
  for (const [name, text] of Object.entries(SERVICE_SCRIPTS)) await writeFile(path(name), text);
  return { path, remove: () => rm(folder, { recursive: true }) };
}

/** False once a process of that id is gone (or only a zombie nobody has collected). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
