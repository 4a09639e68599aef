/** Our chunker, and those of well-known voice pipelines: each in a process of its own, in the version named here. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SpeechError } from "../errors.ts";
import { CommandError, runCommand } from "../model/command.ts";
import { IncrementalSentenceChunker } from "../text/sentence-chunker.ts";
import { BenchProcess } from "./bench-process.ts";
import { pythonEnvironment, pythonScript } from "./python-environment.ts";
import { cpuSecondsSince, type SplitAnswer, type SplitQuestion, type TextChunker } from "./text-trial.ts";

/** Of lib/bench/python/chunkers.txt. */
const PYTHON_CHUNKERS = [
  { name: "pipecat 1.14.0 SimpleTextAggregator", script: "chunker_pipecat.py" },
  { name: "stream2sentence 1.1.0", script: "chunker_stream2sentence.py" },
] as const;
/** @livekit/rtc-node is its peer, which it does not load without. */
const LIVEKIT_PACKAGES = ["@livekit/agents@1.9.0", "@livekit/rtc-node@0.13.34"] as const;
const LIVEKIT_MODULE = "node_modules/@livekit/agents/dist/tokenize/basic/basic.js";

export interface PeerChunkers {
  readonly chunkers: readonly TextChunker[];
  /** Ends their processes and removes what was installed for this run. */
  close(): Promise<void>;
}

export function ourChunker(): TextChunker {
  return {
    name: "ours",
    split: async ({ texts, fragmentChars }) => {
      const before = process.cpuUsage();
      const pieces = texts.map((text) => splitText(text, fragmentChars));
      return { pieces, cpuSeconds: cpuSecondsSince(before) };
    },
  };
}

function splitText(text: string, fragmentChars: number): string[] {
  const chunker = new IncrementalSentenceChunker();
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += fragmentChars) {
    for (const piece of chunker.feed(text.slice(at, at + fragmentChars))) pieces.push(piece);
  }
  const rest = chunker.flush();
  return rest === null ? pieces : [...pieces, rest];
}

/** @throws {SpeechError} CONFIGURATION where Python, pip or npm is missing or cannot fetch. */
export async function startPeerChunkers(options: {
  readonly signal: AbortSignal;
  readonly onInstall: (what: string) => void;
}): Promise<PeerChunkers> {
  const { signal, onInstall } = options;
  const processes: BenchProcess[] = [];
  const folder = await mkdtemp(join(tmpdir(), "livekit-tokenizer-"));
  const close = async (): Promise<void> => {
    await Promise.all(processes.map((process) => process.close()));
    await rm(folder, { recursive: true, force: true });
  };
  const chunkerOf = (name: string, process: BenchProcess): TextChunker => {
    processes.push(process);
    return { name, split: (question: SplitQuestion) => process.ask<SplitAnswer>(question) };
  };
  try {
    onInstall(LIVEKIT_PACKAGES[0]);
    await installLiveKit(folder, signal);
    const livekitProcess = new URL("./livekit-process.ts", import.meta.url);
    const tokenizer = pathToFileURL(join(folder, LIVEKIT_MODULE)).href;
    const chunkers = [
      chunkerOf(
        "LiveKit agents 1.9.0 basic.SentenceTokenizer",
        await BenchProcess.fork("LiveKit", livekitProcess, [tokenizer], signal),
      ),
    ];
    const python = await pythonEnvironment("chunkers", {
      signal,
      onInstall: () => onInstall("pipecat and stream2sentence"),
    });
    for (const { name, script } of PYTHON_CHUNKERS) {
      const process = await BenchProcess.python(name, python, [pythonScript(script)], signal);
      chunkers.push(chunkerOf(name, process));
    }
    return { chunkers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function installLiveKit(folder: string, signal: AbortSignal): Promise<void> {
  await writeFile(join(folder, "package.json"), "{}");
  // Neither its set-up programs nor its other peers are needed to split text.
  const options = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    await runCommand("npm", ["install", ...options, ...LIVEKIT_PACKAGES], { cwd: folder, signal });
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    throw new SpeechError(
      "CONFIGURATION",
      `${LIVEKIT_PACKAGES[0]} could not be installed (${cause.message}); give this machine a way to its npm registry, or leave out --compare`,
      { cause },
    );
  }
}
