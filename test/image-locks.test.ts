/**
 * Each image is installed from its own package.json and lock, everything else from the root's. Direct versions must
 * be the same in both, or the tests would try other code than the images run. `npm run lock:images` makes the locks.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

interface LockedPackage extends Manifest {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  dev?: boolean;
}

interface Lock {
  lockfileVersion: number;
  packages: Record<string, LockedPackage>;
}

const ROOT = new URL("../", import.meta.url);
const read = <T>(path: string): T => JSON.parse(readFileSync(new URL(path, ROOT), "utf8"));

const ROOT_MANIFEST = read<Manifest>("package.json");
const ROOT_LOCK = read<Lock>("package-lock.json");
const IMAGES = readdirSync(new URL("container/", ROOT));

/** What the root's install gives to an image's folder: its own copy, or the one all share. */
function installedVersion(lock: Lock, image: string, name: string): string | undefined {
  const own = lock.packages[`container/${image}/node_modules/${name}`];
  return (own ?? lock.packages[`node_modules/${name}`])?.version;
}

/** How an image's manifest and lock differ from the root's; nothing when they agree. */
function disagreements(
  image: string,
  manifest: Manifest,
  lock: Lock,
  rootManifest: Manifest,
  rootLock: Lock,
): string[] {
  const found: string[] = [];
  const declared = manifest.dependencies ?? {};
  const rootDeclared = {
    ...rootManifest.optionalDependencies,
    ...rootManifest.devDependencies,
    ...rootManifest.dependencies,
  };
  for (const [name, version] of Object.entries(declared)) {
    if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) found.push(`${name} is not pinned: ${version}`);
    const rootVersion = rootDeclared[name] ?? installedVersion(rootLock, image, name);
    if (rootVersion !== version) found.push(`${name} is ${version} here, ${rootVersion} at the root`);
    const locked = lock.packages[`node_modules/${name}`]?.version;
    if (locked !== version) found.push(`${name} is ${version} here, ${locked} in the lock`);
  }
  const lockDeclared = lock.packages[""]?.dependencies ?? {};
  for (const name of Object.keys(lockDeclared)) {
    if (declared[name] === undefined) found.push(`${name} is in the lock only`);
  }
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (path === "") continue;
    if (locked.link || locked.dev || !locked.integrity)
      found.push(`${path} is not locked to a published package`);
    if (locked.resolved !== undefined) found.push(`${path} names a registry host`);
  }
  return found;
}

describe.each(IMAGES)("container/%s", (image) => {
  const manifest = read<Manifest>(`container/${image}/package.json`);
  const lock = read<Lock>(`container/${image}/package-lock.json`);

  it("has the root's versions, and a lock that agrees", () => {
    expect(lock.lockfileVersion).toBe(3);
    expect(Object.keys(manifest.dependencies ?? {}).length).toBeGreaterThan(0);
    expect(disagreements(image, manifest, lock, ROOT_MANIFEST, ROOT_LOCK)).toEqual([]);
  });

  it("installs nothing that is only for development", () => {
    expect(manifest.devDependencies).toBeUndefined();
    for (const heavy of ["typescript", "vitest", "aws-cdk-lib", "@biomejs/biome"]) {
      expect(lock.packages[`node_modules/${heavy}`]).toBeUndefined();
    }
  });
});

describe("a disagreement is found", () => {
  const lockOf = (version: string, more: Partial<LockedPackage> = {}): Lock => ({
    lockfileVersion: 3,
    packages: {
      "": { dependencies: { ws: version } },
      "node_modules/ws": { version, integrity: "sha512-x", ...more },
    },
  });
  const image = { dependencies: { ws: "8.1.0" } };
  const check = (manifest: Manifest, lock: Lock, root: Manifest, rootLock = lockOf("8.1.0")) =>
    disagreements("tts", manifest, lock, root, rootLock);

  it("but not where there is none", () => {
    expect(check(image, lockOf("8.1.0"), { dependencies: { ws: "8.1.0" } })).toEqual([]);
    expect(check(image, lockOf("8.1.0"), { devDependencies: { ws: "8.1.0" } })).toEqual([]);
    expect(check(image, lockOf("8.1.0"), {})).toEqual([]);
  });

  it("with the root's package.json", () => {
    expect(check(image, lockOf("8.1.0"), { dependencies: { ws: "8.2.0" } })).toEqual([
      "ws is 8.1.0 here, 8.2.0 at the root",
    ]);
  });

  it("with the root's lock", () => {
    expect(check(image, lockOf("8.1.0"), {}, lockOf("8.3.0"))).toEqual([
      "ws is 8.1.0 here, 8.3.0 at the root",
    ]);
  });

  it("with the image's own lock", () => {
    const root = { dependencies: { ws: "8.1.0" } };
    expect(check(image, lockOf("8.0.0"), root)).toEqual(["ws is 8.1.0 here, 8.0.0 in the lock"]);
    expect(check({ dependencies: {} }, lockOf("8.1.0"), root)).toEqual(["ws is in the lock only"]);
    expect(check(image, lockOf("8.1.0", { link: true }), root)).toEqual([
      "node_modules/ws is not locked to a published package",
    ]);
    expect(check(image, lockOf("8.1.0", { resolved: "https://registry.example/ws.tgz" }), root)).toEqual([
      "node_modules/ws names a registry host",
    ]);
  });

  it("when a version is a range", () => {
    const range = { dependencies: { ws: "^8.1.0" } };
    expect(check(range, lockOf("^8.1.0"), range)).toEqual(["ws is not pinned: ^8.1.0"]);
  });
});
