/** One service as a process: what it says when it starts, how it is stopped, and that none is ever left behind. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Service } from "../../lib/local/child-process.ts";
import { isAlive, type ServiceScripts, writeServiceScripts } from "../helpers/service-scripts.ts";

let scripts: ServiceScripts;
beforeAll(async () => {
  scripts = await writeServiceScripts();
});
afterAll(() => scripts.remove());

const started: Service[] = [];
afterEach(async () => {
  for (const service of started.splice(0)) await service.stop();
});

function start(name: Parameters<ServiceScripts["path"]>[0], env: Record<string, string> = {}): Service {
  const service = new Service({
    title: "the service",
    file: scripts.path(name),
    args: [],
    env: { PATH: process.env.PATH, ...env },
    place: { host: "127.0.0.1", port: Number(env.PORT ?? 0), portFlag: "--port" },
    stopLimitMs: 300,
  });
  started.push(service);
  return service;
}

describe("Service", () => {
  it("tells where it listens, and is gone after stop()", async () => {
    const service = start("obedient");
    const { host, port } = await service.listening;
    expect((await fetch(`http://${host}:${port}`)).status).toBe(200);
    await service.stop();
    expect(isAlive(service.pid!)).toBe(false);
    await service.stop();
  });

  it("kills what does not end by itself", async () => {
    const service = start("stubborn");
    await service.listening;
    await service.stop();
    expect(isAlive(service.pid!)).toBe(false);
  });

  it("stops what is still starting", async () => {
    const service = start("silent");
    const listening = service.listening.catch((error) => error);
    await service.stop();
    expect(isAlive(service.pid!)).toBe(false);
    expect((await listening).message).toBe("the service was stopped");
  });

  it("fails with port and flag where the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await expect(start("obedient", { PORT: String(port) }).listening).rejects.toMatchObject({
      code: "CONFIGURATION",
      message: `port ${port} is taken, the service cannot listen on it; free it or choose another with --port`,
    });
    taken.close();
  });

  it("fails with the last error that was logged, and its code", async () => {
    await expect(start("refuses").listening).rejects.toMatchObject({
      code: "WEIGHTS_UNAVAILABLE",
      message: "the service ended with exit code 2: no model in this folder",
    });
  });

  it("fails with what Node says of a crash, in one line", async () => {
    const error = await start("crashes").listening.catch((reason) => reason);
    expect(error).toMatchObject({ code: "INTERNAL" });
    expect(error.message).toMatch(/^the service ended with exit code 1: TypeError: boom$/);
  });

  it("fails where there is no such file", async () => {
    const service = new Service({ title: "the service", file: "/nonexistent.ts", args: [], env: {} });
    await expect(service.listening).rejects.toThrow(
      /the service ended with exit code 1: .*Cannot find module/,
    );
  });

  it("tells when it ends on its own", async () => {
    const service = start("leaves");
    await service.listening;
    expect((await service.ended).message).toBe("the service ended with exit code 3");
  });

  it("reads on, in bounded memory, whatever a service writes", async () => {
    const service = start("chatty");
    await service.listening;
    const before = process.memoryUsage().rss;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 2 ** 20);
    await service.stop();
  });
});

describe("a service whose owner is killed outright", () => {
  const OWNER = `
    import { Service } from ${JSON.stringify(new URL("../../lib/local/child-process.ts", import.meta.url).href)};
    const [file, wait] = process.argv.slice(1);
    const service = new Service({ title: "the service", file, args: [], env: process.env });
    if (wait === "wait") await service.listening;
    console.log(service.pid);
    setInterval(() => {}, 1000);`;

  async function ownedPid(file: string, wait: "wait" | "at once"): Promise<number> {
    const owner = spawn(process.execPath, ["--input-type=module-typescript", "-e", OWNER, file, wait], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(owner.stdout!.setEncoding("utf8"), "data");
    owner.kill("SIGKILL");
    await once(owner, "exit");
    return Number(line);
  }

  it.each(["wait", "at once"] as const)("ends too (%s)", async (wait) => {
    const pid = await ownedPid(scripts.path("obedient"), wait);
    await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
  });

  it("ends too when it does not listen to signals", async () => {
    const pid = await ownedPid(scripts.path("stubborn"), "wait");
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  }, 20_000);

  it("ends too when it is the real agent, still loading", async () => {
    const agent = fileURLToPath(new URL("../../container/agent/main.ts", import.meta.url));
    const pid = await ownedPid(agent, "at once");
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  }, 20_000);
});
