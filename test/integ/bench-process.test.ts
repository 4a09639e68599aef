import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const url = (path: string) => new URL(`../../${path}`, import.meta.url).href;
/** Asks late, when a process that nothing keeps open has ended. */
const PROGRAM = `
  import { setTimeout as delay } from "node:timers/promises";
  const { BenchProcess } = await import(${JSON.stringify(url("lib/bench/bench-process.ts"))});
  const answering = new URL(${JSON.stringify(url("test/fixtures/bench/answering-process.ts"))});
  const child = await BenchProcess.fork("it", answering, [], new AbortController().signal);
  await delay(300);
  process.send(await child.ask({ n: 7 }).catch((error) => ({ failed: error.message })));
  await child.close();`;

describe("a process of a benchmark", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "bench-process-"));
    await writeFile(join(folder, "asking.mjs"), PROGRAM);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ["alone", []],
    ["under the guard of the launcher", ["--import", url("lib/local/child-process-guard.ts")]],
  ])("answers for as long as it is asked, %s", async (_how, execArgv) => {
    const asking = fork(join(folder, "asking.mjs"), { execArgv });
    const [answer] = await once(asking, "message");
    expect(answer).toEqual({ question: { n: 7 } });
    await once(asking, "exit");
  });
});
