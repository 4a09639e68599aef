/**
 * The wire's messages as files, one a file: test/fixtures/protocol/{request,response,error}/*.json. Container,
 * client, agent and the documents are tested against the same ones.
 */
import { readdirSync, readFileSync } from "node:fs";

export interface ProtocolFixture {
  /** File name without `.json`, e.g. `speak-minimal`. */
  readonly name: string;
  /** The file as it is. */
  readonly json: string;
  /** The file, parsed. */
  readonly value: Record<string, unknown>;
}

const ROOT = new URL("../fixtures/protocol/", import.meta.url);

/** @param prefix first part of the names wanted, e.g. `speak`; all when absent. */
export function protocolFixtures(
  folder: "request" | "response" | "error",
  ...prefixes: string[]
): ProtocolFixture[] {
  const names = readdirSync(new URL(`${folder}/`, ROOT)).filter((file) => file.endsWith(".json"));
  const wanted = names
    .map((file) => file.slice(0, -".json".length))
    .filter((name) => prefixes.length === 0 || prefixes.some((prefix) => name.split("-")[0] === prefix))
    .sort();
  if (wanted.length === 0) throw new Error(`no fixture ${prefixes.join(", ")} in ${folder}`);
  return wanted.map((name) => {
    const json = readFileSync(new URL(`${folder}/${name}.json`, ROOT), "utf8");
    return { name, json, value: JSON.parse(json) };
  });
}

export function protocolFixture(folder: "request" | "response" | "error", name: string): ProtocolFixture {
  const found = protocolFixtures(folder).find((fixture) => fixture.name === name);
  if (!found) throw new Error(`no fixture ${folder}/${name}.json`);
  return found;
}
