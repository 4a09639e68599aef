/**
 * The rules of docs/architecture.md as functions: a tree of sources in, breaches out. Rules that are not checked do
 * not hold; test/architecture.test.ts runs these on the repository, and on small made-up trees to see them fail.
 */
import {
  type Import,
  type ImportGraph,
  importCycles,
  reachableFrom,
  readImportGraph,
  type SourceTree,
} from "./import-graph.ts";
import { lineOf, withoutComments } from "./source-text.ts";

/** Folders that hold the program. */
export const SOURCE_FOLDERS = ["bin", "lib", "stacks", "container", "cli"] as const;

const FILE_MAX_LINES = 300;

interface Unit {
  readonly rank: number;
  /** npm packages that only such units may import; `*` at the end stands for any rest. */
  readonly packages: readonly string[];
  /** Units of a lower rank that it may not import all the same. */
  readonly except?: readonly string[];
}

/** A file imports only lower ranks, or its own unit. The longest path that fits names the unit. */
export const UNITS: Readonly<Record<string, Unit>> = {
  "lib/errors.ts": { rank: 0, packages: [] },
  "lib/text": { rank: 1, packages: ["n2words", "unicode-emoji-json"] },
  "lib/audio": { rank: 1, packages: ["wasm-media-encoders"] },
  "lib/config": { rank: 1, packages: ["zod"] },
  "lib/protocol": { rank: 2, packages: ["zod"] },
  "lib/kokoro": { rank: 2, packages: ["onnxruntime-node", "@echogarden/espeak-ng-emscripten"] },
  "lib/model": { rank: 2, packages: ["onnxruntime-node", "onnx-buf", "@bufbuild/protobuf", "tar", "execa"] },
  "lib/client": {
    rank: 3,
    packages: [
      "ws",
      "@smithy/*",
      "@aws-sdk/client-bedrock-agentcore",
      "@aws-sdk/credential-provider-node",
      // AWS's table of partitions: no host name is spelt out in this repository.
      "@aws-sdk/core",
    ],
  },
  "lib/constructs": {
    rank: 3,
    packages: ["aws-cdk-lib", "constructs", "@aws-cdk/aws-sagemaker-alpha", "cdk-nag"],
  },
  "lib/bench": { rank: 4, packages: ["zod"] },
  "lib/local": { rank: 4, packages: ["ws"] },
  stacks: { rank: 4, packages: ["aws-cdk-lib", "constructs", "cdk-nag"] },
  // Above the stacks: it synthesizes and deploys them.
  "lib/deploy": {
    rank: 5,
    packages: [
      "@aws-cdk/toolkit-lib",
      "@aws-sdk/client-*",
      "@aws-sdk/credential-provider-node",
      "@aws-sdk/core",
      "@smithy/*",
      "execa",
      "tar",
      "yazl",
      "zod",
    ],
  },
  "container/tts": { rank: 5, packages: ["ws"], except: ["lib/client"] },
  "container/agent": {
    rank: 5,
    packages: [
      "bedrock-agentcore",
      "@strands-agents/sdk",
      "fastify",
      "ws",
      "@smithy/*",
      "@aws-sdk/client-bedrock-runtime",
    ],
    except: ["lib/kokoro"],
  },
  cli: { rank: 6, packages: ["commander"] },
  bin: { rank: 7, packages: [] },
};

/** Names under which a heap of unrelated things grows. */
const HEAP_NAMES =
  /^(index|utils?|helpers?|common|shared|types?|misc|manager|data|info|constants)$|-(utils?|helpers?|manager)$/;

interface TextRule {
  readonly pattern: RegExp;
  readonly words: string;
  readonly allowedIn: (path: string) => boolean;
}

const isContainerMain = (path: string): boolean => /^container\/[^/]+\/main\.ts$/.test(path);
const isDeployment = (path: string): boolean => /^(lib\/deploy|lib\/constructs|stacks)\//.test(path);

const TEXT_RULES: readonly TextRule[] = [
  {
    pattern: /\bprocess\s*\.\s*env\b/g,
    words: "reads process.env; only lib/config does",
    allowedIn: (path) => path.startsWith("lib/config/"),
  },
  {
    pattern: /\bprocess\s*\.\s*exit(Code)?\b/g,
    words: "ends the process; only cli/run.ts, container mains and lib/local/child.ts do",
    allowedIn: (path) => path === "cli/run.ts" || path === "lib/local/child.ts" || isContainerMain(path),
  },
  {
    pattern: /\bconsole\s*\.\s*\w+/g,
    words: "uses console; only cli/output.ts does",
    allowedIn: (path) => path === "cli/output.ts",
  },
  {
    pattern: /\bprocess\s*\.\s*std(out|err)\b/g,
    words: "writes to stdout or stderr; only cli/output.ts and the containers' loggers do",
    allowedIn: (path) =>
      path === "cli/output.ts" ||
      path === "lib/local/child.ts" ||
      path === "cli/run.ts" ||
      path.startsWith("container/"),
  },
  { pattern: /arn:aws:/g, words: 'spells out "arn:aws:"; other partitions exist', allowedIn: () => false },
  {
    pattern: /amazonaws\.com/g,
    words: 'spells out "amazonaws.com"; other partitions exist',
    // Service principals are the same in every partition.
    allowedIn: isDeployment,
  },
  {
    pattern: /\b(?:enum\s+\w+\s*\{|namespace\s+\w+\s*\{)/g,
    words: "is not erasable TypeScript",
    allowedIn: () => false,
  },
];

export function rankBreaches(graph: ImportGraph): string[] {
  return breaches(graph, (path, unit, { file, kind, specifier }) => {
    // Who starts a process joins it by a wire, not by an import.
    if (file === undefined || kind === "start") return undefined;
    const from = UNITS[unit]!;
    const target = unitOf(file);
    if (target === undefined) return `imports ${specifier}, which is outside the program`;
    if (target === unit) return undefined;
    const to = UNITS[target]!;
    if (to.rank >= from.rank) return `imports ${target} (rank ${to.rank}) from rank ${from.rank}`;
    return from.except?.includes(target) ? `imports ${target}, which ${unitOf(path)} may not` : undefined;
  });
}

export function packageBreaches(graph: ImportGraph): string[] {
  return breaches(graph, (_path, unit, { npmPackage, specifier }) => {
    if (npmPackage === undefined) return undefined;
    if (isAllowed(npmPackage, UNITS[unit]!.packages)) return undefined;
    return BUILT_INS.has(npmPackage)
      ? `imports ${specifier} without node:`
      : `imports the package ${npmPackage}`;
  });
}

export function specifierBreaches(graph: ImportGraph, tree: SourceTree): string[] {
  return breaches(graph, (_path, _unit, { file, specifier }) => {
    if (file === undefined) return undefined;
    if (!file.endsWith(".ts")) return `imports ${specifier}; local imports end in .ts`;
    return tree.has(file) ? undefined : `imports ${specifier}, which is not there`;
  });
}

export function cycleBreaches(graph: ImportGraph): string[] {
  return importCycles(graph).map((cycle) => `import cycle: ${cycle.join(" -> ")}`);
}

export function fileBreaches(tree: SourceTree): string[] {
  return [...tree].flatMap(([path, source]) => {
    const found: string[] = [];
    if (unitOf(path) === undefined) found.push(`${path}: is in no folder of the rank table`);
    const lines = source.trimEnd().split("\n").length;
    if (lines > FILE_MAX_LINES) found.push(`${path}: has ${lines} lines, at most ${FILE_MAX_LINES}`);
    const folders = path.split("/");
    const name = folders.pop()!.replace(/(\.d)?\.ts$/, "");
    for (const part of [...folders, name]) {
      if (HEAP_NAMES.test(part)) found.push(`${path}: "${part}" is no name for what it holds`);
      if (part !== part.toLowerCase() || part.includes("_")) found.push(`${path}: names are in kebab-case`);
    }
    return found;
  });
}

export function textBreaches(tree: SourceTree): string[] {
  return [...tree].flatMap(([path, source]) => {
    const code = withoutComments(source);
    return TEXT_RULES.filter((rule) => !rule.allowedIn(path)).flatMap(({ pattern, words }) =>
      [...code.matchAll(pattern)].map((match) => `${path}:${lineOf(code, match.index)}: ${words}`),
    );
  });
}

/**
 * What an image's code loads, directly or not, must be in the image's own package.json, and nothing else.
 * @param peers packages that others there load: declared, though our code does not name them.
 */
export function imageBreaches(
  graph: ImportGraph,
  main: string,
  declared: readonly string[],
  peers: readonly string[] = [],
): string[] {
  const used = new Set(peers);
  for (const path of reachableFrom(graph, main)) {
    for (const { npmPackage, kind } of graph.get(path) ?? []) {
      if (npmPackage !== undefined && kind !== "type") used.add(npmPackage);
    }
  }
  return [
    ...[...used]
      .filter((name) => !declared.includes(name))
      .map((name) => `${main}: needs ${name}, not declared`),
    ...declared.filter((name) => !used.has(name)).map((name) => `${main}: declares ${name}, not needed`),
  ].sort();
}

/** All rules at once. */
export function allBreaches(tree: SourceTree): string[] {
  const graph = readImportGraph(tree);
  return [
    ...rankBreaches(graph),
    ...packageBreaches(graph),
    ...specifierBreaches(graph, tree),
    ...cycleBreaches(graph),
    ...fileBreaches(tree),
    ...textBreaches(tree),
  ];
}

export function unitOf(path: string): string | undefined {
  return Object.keys(UNITS)
    .filter((unit) => path === unit || path.startsWith(`${unit}/`))
    .sort((a, b) => b.length - a.length)[0];
}

const BUILT_INS: ReadonlySet<string> = new Set(
  "assert buffer child_process crypto events fs http http2 https net os path stream timers tls url util zlib".split(
    " ",
  ),
);

function isAllowed(name: string, packages: readonly string[]): boolean {
  return packages.some((allowed) =>
    allowed.endsWith("*") ? name.startsWith(allowed.slice(0, -1)) : name === allowed,
  );
}

function breaches(
  graph: ImportGraph,
  judge: (path: string, unit: string, imported: Import) => string | undefined,
): string[] {
  return [...graph].flatMap(([path, imports]) => {
    const unit = unitOf(path);
    if (unit === undefined) return [];
    return imports.flatMap((imported) => {
      const words = judge(path, unit, imported);
      return words === undefined ? [] : [`${path}:${imported.line}: ${words}`];
    });
  });
}
