// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these strings are sources that hold templates
/** The rules of docs/architecture.md hold for the repository, and each of them can fail. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  allBreaches,
  cycleBreaches,
  fileBreaches,
  imageBreaches,
  packageBreaches,
  rankBreaches,
  SOURCE_FOLDERS,
  specifierBreaches,
  textBreaches,
  UNITS,
} from "./helpers/architecture-rules.ts";
import { readImportGraph, readSourceTree } from "./helpers/import-graph.ts";
import { withoutComments } from "./helpers/source-text.ts";

const ROOT = new URL("../", import.meta.url);
const TREE = readSourceTree(ROOT, SOURCE_FOLDERS);
const GRAPH = readImportGraph(TREE);

const tree = (files: Record<string, string>) => new Map(Object.entries(files));
const graph = (files: Record<string, string>) => readImportGraph(tree(files));

describe("the repository", () => {
  it("is really read", () => {
    expect(TREE.size).toBeGreaterThan(50);
    expect([...GRAPH.values()].flat().length).toBeGreaterThan(200);
    expect([...TREE.keys()].filter((path) => path.includes("node_modules"))).toEqual([]);
  });

  it.each([
    ["imports only lower ranks or its own folder", () => rankBreaches(GRAPH)],
    ["imports npm packages only where they belong", () => packageBreaches(GRAPH)],
    ["imports by names that end in .ts and are there", () => specifierBreaches(GRAPH, TREE)],
    ["has no import cycle", () => cycleBreaches(GRAPH)],
    ["has short files with telling names", () => fileBreaches(TREE)],
    ["keeps environment, exit, console and AWS names where they belong", () => textBreaches(TREE)],
  ])("%s", (_rule, breaches) => {
    expect(breaches()).toEqual([]);
  });

  it.each([
    ["tts", []],
    // Strands asks for it as a peer.
    ["agent", ["@aws-sdk/client-bedrock-runtime"]],
  ])("declares for the image %s just what its code loads", (image, peers) => {
    const manifest = JSON.parse(readFileSync(new URL(`container/${image}/package.json`, ROOT), "utf8"));
    const declared = Object.keys(manifest.dependencies);
    expect(imageBreaches(GRAPH, `container/${image}/main.ts`, declared, peers)).toEqual([]);
  });

  it("has the rank table of docs/architecture.md", () => {
    const document = readFileSync(new URL("docs/architecture.md", ROOT), "utf8");
    const table = document.split("## Who may import whom")[1]!.split("\n## ")[0]!;
    const rows = [...table.matchAll(/^\| (\d) \| (.+?) \|/gm)].flatMap(([, rank, folders]) =>
      [...folders!.replace(/\(not [^)]*\)/g, "").matchAll(/`([^`]+)`/g)].map(
        ([, unit]) => [unit!, Number(rank)] as const,
      ),
    );
    expect(rows.length).toBeGreaterThan(10);
    for (const [unit, rank] of rows) expect(UNITS[unit]?.rank, unit).toBe(rank);
  });
});

describe("a rank breach is found", () => {
  it.each([
    [
      "upwards",
      "lib/text/a.ts",
      "../protocol/b.ts",
      "lib/text/a.ts:1: imports lib/protocol (rank 2) from rank 1",
    ],
    [
      "sideways",
      "lib/kokoro/a.ts",
      "../model/b.ts",
      "lib/kokoro/a.ts:1: imports lib/model (rank 2) from rank 2",
    ],
    [
      "between images",
      "container/tts/a.ts",
      "../agent/b.ts",
      "container/tts/a.ts:1: imports container/agent (rank 5) from rank 5",
    ],
    [
      "lib to cli",
      "lib/local/a.ts",
      "../../cli/output.ts",
      "lib/local/a.ts:1: imports cli (rank 6) from rank 4",
    ],
    [
      "tts to client",
      "container/tts/a.ts",
      "../../lib/client/b.ts",
      "container/tts/a.ts:1: imports lib/client, which container/tts may not",
    ],
    [
      "agent to kokoro",
      "container/agent/a.ts",
      "../../lib/kokoro/b.ts",
      "container/agent/a.ts:1: imports lib/kokoro, which container/agent may not",
    ],
    [
      "out of the program",
      "lib/text/a.ts",
      "../../test/b.ts",
      "lib/text/a.ts:1: imports ../../test/b.ts, which is outside the program",
    ],
  ])("%s", (_name, path, specifier, breach) => {
    for (const line of [
      `import { b } from "${specifier}";`,
      `import type { B } from '${specifier}';`,
      `export { b } from "${specifier}";`,
      `export * from "${specifier}";`,
      `import "${specifier}";`,
      `const b = await import("${specifier}");`,
    ]) {
      expect(rankBreaches(graph({ [path]: line })), line).toEqual([breach]);
    }
  });

  it("also in an import of many lines", () => {
    const source = 'const a = 1;\nimport {\n  b,\n  c, // the third\n} from "../protocol/b.ts";\n';
    expect(rankBreaches(graph({ "lib/text/a.ts": source }))).toEqual([
      "lib/text/a.ts:5: imports lib/protocol (rank 2) from rank 1",
    ]);
  });

  it("and what is allowed is not", () => {
    const files = {
      "lib/errors.ts": "",
      "lib/text/a.ts": 'import { b } from "./b.ts";\nimport { E } from "../errors.ts";',
      "lib/client/sagemaker/a.ts": 'import { b } from "../b.ts";\nimport { c } from "../../protocol/c.ts";',
      "container/agent/a.ts": 'import { b } from "../../lib/client/b.ts";',
      "bin/a.ts": 'import { run } from "../cli/run.ts";',
      "cli/a.ts": '// import { x } from "../bin/x.ts";\n/* import "../bin/x.ts" */',
    };
    expect(rankBreaches(graph(files))).toEqual([]);
  });
});

describe("a package breach is found", () => {
  it.each([
    ["lib/protocol/a.ts", "ws", "imports the package ws"],
    ["lib/text/a.ts", "zod", "imports the package zod"],
    ["lib/kokoro/a.ts", "@smithy/core/event-streams", "imports the package @smithy/core"],
    ["lib/client/a.ts", "@aws-sdk/client-s3", "imports the package @aws-sdk/client-s3"],
    ["container/tts/a.ts", "aws-cdk-lib/core", "imports the package aws-cdk-lib"],
    ["bin/a.ts", "commander", "imports the package commander"],
    ["lib/text/a.ts", "fs", "imports fs without node:"],
  ])("%s: %s", (path, specifier, words) => {
    expect(packageBreaches(graph({ [path]: `import x from "${specifier}";` }))).toEqual([
      `${path}:1: ${words}`,
    ]);
  });

  it("and what is allowed is not", () => {
    const files = {
      "lib/client/a.ts":
        'import x from "@smithy/core/event-streams";\nimport ws from "ws";\nimport "node:http2";',
      "lib/deploy/a.ts": 'import x from "@aws-sdk/client-s3";',
      "cli/a.ts": 'import { Command } from "commander";',
    };
    expect(packageBreaches(graph(files))).toEqual([]);
  });
});

describe("a wrong specifier is found", () => {
  it.each([
    ["./b.js", "imports ./b.js; local imports end in .ts"],
    ["./b", "imports ./b; local imports end in .ts"],
    [".", "imports .; local imports end in .ts"],
    ["./missing.ts", "imports ./missing.ts, which is not there"],
  ])("%s", (specifier, words) => {
    const files = { "lib/text/a.ts": `import x from "${specifier}";`, "lib/text/b.ts": "" };
    expect(specifierBreaches(graph(files), tree(files))).toEqual([`lib/text/a.ts:1: ${words}`]);
  });
});

describe("an import cycle is found", () => {
  it.each([
    [{ "lib/text/a.ts": 'import "./a.ts";' }, "lib/text/a.ts -> lib/text/a.ts"],
    [
      {
        "lib/text/a.ts": 'import "./b.ts";',
        "lib/text/b.ts": 'import "./c.ts";',
        "lib/text/c.ts": 'import type { A } from "./a.ts";',
      },
      "lib/text/a.ts -> lib/text/b.ts -> lib/text/c.ts -> lib/text/a.ts",
    ],
  ])("%#", (files: Record<string, string>, ring) => {
    expect(cycleBreaches(graph(files))).toEqual([`import cycle: ${ring}`]);
  });

  it("and a diamond is none", () => {
    const files = {
      "a.ts": 'import "./b.ts"; import "./c.ts";',
      "b.ts": 'import "./d.ts";',
      "c.ts": 'import "./d.ts";',
      "d.ts": "",
    };
    expect(cycleBreaches(graph(files))).toEqual([]);
  });
});

describe("a bad file is found", () => {
  it("too long", () => {
    expect(fileBreaches(tree({ "cli/a.ts": "x\n".repeat(300) }))).toEqual([]);
    expect(fileBreaches(tree({ "cli/a.ts": "x\n".repeat(301) }))).toEqual([
      "cli/a.ts: has 301 lines, at most 300",
    ]);
  });

  it.each([
    "index",
    "utils",
    "util",
    "helpers",
    "common",
    "types",
    "shared",
    "manager",
    "audio-utils",
    "session-manager",
  ])("named %s", (name) => {
    expect(fileBreaches(tree({ [`lib/text/${name}.ts`]: "" }))).toEqual([
      `lib/text/${name}.ts: "${name}" is no name for what it holds`,
    ]);
  });

  it("in a folder named utils, in no folder of the table, not in kebab-case", () => {
    expect(fileBreaches(tree({ "lib/text/utils/a.ts": "" }))).toHaveLength(1);
    expect(fileBreaches(tree({ "lib/extra/a.ts": "" }))).toEqual([
      "lib/extra/a.ts: is in no folder of the rank table",
    ]);
    expect(fileBreaches(tree({ "cli/myFile.ts": "" }))).toEqual(["cli/myFile.ts: names are in kebab-case"]);
  });
});

describe("forbidden text is found", () => {
  it.each([
    ["lib/text/a.ts", "const x = process.env.HOME;", "reads process.env; only lib/config does"],
    [
      "cli/a.ts",
      "process.exit(1);",
      "ends the process; only cli/run.ts, container mains and lib/local/child.ts do",
    ],
    [
      "cli/a.ts",
      "process.exitCode = 1;",
      "ends the process; only cli/run.ts, container mains and lib/local/child.ts do",
    ],
    [
      "container/tts/server.ts",
      "process.exit(1);",
      "ends the process; only cli/run.ts, container mains and lib/local/child.ts do",
    ],
    ["lib/text/a.ts", "console.log(1);", "uses console; only cli/output.ts does"],
    [
      "lib/text/a.ts",
      'process.stdout.write("");',
      "writes to stdout or stderr; only cli/output.ts and the containers' loggers do",
    ],
    [
      "lib/client/a.ts",
      'const arn = "arn:aws:iam::1:role/x";',
      'spells out "arn:aws:"; other partitions exist',
    ],
    [
      "lib/client/a.ts",
      "const host = `runtime.${region}.amazonaws.com`;",
      'spells out "amazonaws.com"; other partitions exist',
    ],
    ["lib/text/a.ts", "enum Colour { Red }", "is not erasable TypeScript"],
  ])("%s: %s", (path, line, words) => {
    expect(textBreaches(tree({ [path]: `// ${words}\n${line}` }))).toEqual([`${path}:2: ${words}`]);
  });

  it("and comments, and what is allowed, are not", () => {
    const files = {
      "lib/config/a.ts": "process.env.HOME;",
      "cli/run.ts": "process.exit(1);",
      "container/tts/main.ts": "process.exit(1);",
      "cli/output.ts": "console.log(1);",
      "lib/text/a.ts": "// process.env\n/* console.log(1) */\n/** process.exit */\nconst x = 1; // arn:aws:",
    };
    expect(textBreaches(tree(files))).toEqual([]);
  });
});

describe("an image's wrong package list is found", () => {
  const files = {
    "container/tts/main.ts": 'import "../../lib/audio/a.ts";',
    "lib/audio/a.ts":
      'import "wasm-media-encoders";\nnew Worker(new URL("./worker.ts", import.meta.url));\nimport type { Z } from "yaml";',
    "lib/audio/worker.ts": 'import "ws";',
    "lib/audio/other.ts": 'import "zod";',
  };
  it("both ways", () => {
    const imageOf = (...declared: string[]) => imageBreaches(graph(files), "container/tts/main.ts", declared);
    expect(imageOf("ws", "wasm-media-encoders")).toEqual([]);
    expect(imageOf("ws")).toEqual(["container/tts/main.ts: needs wasm-media-encoders, not declared"]);
    expect(imageOf("ws", "wasm-media-encoders", "zod")).toEqual([
      "container/tts/main.ts: declares zod, not needed",
    ]);
  });
});

describe("all rules together", () => {
  it("say where and what", () => {
    const files = { "lib/text/utils.ts": 'import fs from "fs";\nconsole.log(process.env.X);' };
    expect(allBreaches(tree(files))).toEqual([
      "lib/text/utils.ts:1: imports fs without node:",
      'lib/text/utils.ts: "utils" is no name for what it holds',
      "lib/text/utils.ts:2: reads process.env; only lib/config does",
      "lib/text/utils.ts:2: uses console; only cli/output.ts does",
    ]);
  });
});

describe("withoutComments", () => {
  it.each([
    ["a // b\nc", "a \nc"],
    ["a /* b\nc */ d", "a     \n     d"],
    ['"// no" // yes', '"// no" '],
    ["'/* no */'", "'/* no */'"],
    ["`// no ${a /* yes */ + `// ${b} no`} // no` // yes", "`// no ${a           + `// ${b} no`} // no` "],
    ["`${{ a: 1 }} // no` // yes", "`${{ a: 1 }} // no` "],
    ["const r = /[/]\\/\\/ no/g; // yes", "const r = /[/]\\/\\/ no/g; "],
    ["return /\\/\\*/.test(x) // yes", "return /\\/\\*/.test(x) "],
    ["a / b / c // yes", "a / b / c "],
    ['"a\\"// no" // yes', '"a\\"// no" '],
  ])("%j", (source, code) => {
    expect(withoutComments(source)).toBe(code);
  });
});
