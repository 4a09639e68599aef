/**
 * Who imports whom: reads the import lines of a tree of TypeScript files. `new URL("./x.ts", import.meta.url)`, by
 * which threads and processes are started, counts as an import of its own kind. Works on any tree in memory, so
 * that the rules built on it can be tested.
 */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { lineOf, withoutComments } from "./source-text.ts";

/** Path from the root, with slashes, to content. */
export type SourceTree = ReadonlyMap<string, string>;

export interface Import {
  /** `type` is erased before the program runs; `start` names a file that is run in a thread or process of its own. */
  readonly kind: "value" | "type" | "start";
  readonly line: number;
  /** As written. */
  readonly specifier: string;
  /** File of the tree that it names, by its path from the root, whether it is there or not. */
  readonly file?: string;
  /** npm package that it names. */
  readonly npmPackage?: string;
}

export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

const IMPORT = new RegExp(
  [
    // import x from "y", import type { X } from "y", export * from "y", import "y"
    String.raw`(?<![.\w])(?:import|export)\s+(?<type>type\s)?[^;'"()]*?\bfrom\s*["'](?<from>[^"'\n]+)["']`,
    String.raw`(?<![.\w])import\s*["'](?<bare>[^"'\n]+)["']`,
    String.raw`(?<![.\w])(?:import|require)\s*\(\s*["'](?<call>[^"'\n]+)["']`,
    String.raw`\bnew\s+URL\(\s*["'](?<started>[^"'\n]+\.ts)["']\s*,\s*import\.meta\.url`,
  ].join("|"),
  "g",
);

export function readImportGraph(tree: SourceTree): ImportGraph {
  return new Map([...tree].map(([path, source]) => [path, importsOf(path, withoutComments(source))]));
}

function importsOf(path: string, code: string): Import[] {
  return [...code.matchAll(IMPORT)].map((match) => {
    const { type, from, bare, call, started } = match.groups!;
    const specifier = (from ?? bare ?? call ?? started)!;
    const line = lineOf(code, match.index + match[0].length);
    const kind = started !== undefined ? "start" : type !== undefined ? "type" : "value";
    if (specifier.startsWith(".")) {
      return { kind, line, specifier, file: posix.normalize(posix.join(posix.dirname(path), specifier)) };
    }
    if (specifier.startsWith("node:")) return { kind, line, specifier };
    const [scope, name] = specifier.split("/");
    return { kind, line, specifier, npmPackage: scope!.startsWith("@") ? `${scope}/${name}` : scope! };
  });
}

/** Groups of files that import each other in a ring, each in order; empty when there is none. */
export function importCycles(graph: ImportGraph): string[][] {
  const cycles: string[][] = [];
  const settled = new Set<string>();
  const walk = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      cycles.push([...trail.slice(start), path]);
      return;
    }
    if (settled.has(path)) return;
    for (const { file, kind } of graph.get(path) ?? []) {
      // A thread is a program of its own; what it imports back is no ring.
      if (file !== undefined && kind !== "start") walk(file, [...trail, path]);
    }
    settled.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return cycles;
}

/** A file and all that is loaded with it when it runs, workers too. */
export function reachableFrom(graph: ImportGraph, start: string): Set<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    for (const { file, kind } of graph.get(path) ?? []) {
      if (file !== undefined && kind !== "type") open.push(file);
    }
  }
  return reached;
}

/** The .ts files below the given folders of a directory. */
export function readSourceTree(root: URL, folders: readonly string[]): SourceTree {
  const tree = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(new URL(`${folder}/`, root), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== "node_modules") walk(path);
      } else if (entry.name.endsWith(".ts")) tree.set(path, readFileSync(new URL(path, root), "utf8"));
    }
  };
  const present = new Set(readdirSync(root));
  for (const folder of folders) if (present.has(folder)) walk(folder);
  return tree;
}
