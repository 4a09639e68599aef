import { defineConfig } from "vitest/config";

const TEMPORARY_FOLDER = "test/helpers/temporary-folder.ts";
const SYNTH_TESTS = ["test/stacks/**/*.test.ts", "test/lib/constructs/**/*.test.ts"];

/**
 * Levels, run apart: `unit` opens no socket and needs no weights, `synth` makes the stacks'
 * templates; `integ` starts real processes on loopback; `emulator`
 * deploys to an emulator of AWS; `model` needs the real weights and is skipped aloud where they are absent. One level after the other
 * (`groupOrder`), so that the model does not take the cores from tests that wait for an answer.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          globalSetup: [TEMPORARY_FOLDER],
          include: ["test/**/*.test.ts"],
          exclude: [...SYNTH_TESTS, "test/integ/**", "test/model/**", "test/device/**", "test/aws/**"],
          // One module graph for all files: a third of the time. Unit tests change nothing global.
          isolate: false,
          // The first test of a file may load and run the CDK, on a machine that has other work.
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          // As unit, but for the CDK, which takes seconds to load and to synthesize.
          name: "synth",
          globalSetup: [TEMPORARY_FOLDER],
          include: SYNTH_TESTS,
          isolate: false,
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "integ",
          globalSetup: [TEMPORARY_FOLDER],
          include: ["test/integ/**/*.test.ts"],
          exclude: ["test/integ/aws/**"],
          testTimeout: 60_000,
          // What is waited for takes as long as a busy machine needs.
          expect: { poll: { timeout: 20_000 } },
          sequence: { groupOrder: 1 },
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        test: {
          // Deployments against the emulator: most of their time is waiting, so several go on at once.
          name: "emulator",
          globalSetup: [TEMPORARY_FOLDER],
          include: ["test/integ/aws/**/*.test.ts"],
          testTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
          sequence: { groupOrder: 2 },
          hookTimeout: 120_000,
          maxWorkers: 4,
        },
      },
      {
        test: {
          name: "model",
          globalSetup: [TEMPORARY_FOLDER],
          include: ["test/model/**/*.test.ts"],
          testTimeout: 180_000,
          sequence: { groupOrder: 3 },
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
