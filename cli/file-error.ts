/** What the system says about a file, in words for the person who named it. */
import { SpeechError } from "../lib/errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is a file, not a folder",
  EEXIST: "a part of its path is a file, not a folder",
  ENOENT: "no such file",
  ENAMETOOLONG: "the name is too long",
};

/** @param path as the user gave it. @param next what to do about it. */
export function fileError(verb: "read" | "write", path: string, cause: unknown, next: string): SpeechError {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? "";
  const reason = REASONS[code] ?? (code || "an unknown error");
  return new SpeechError("CONFIGURATION", `cannot ${verb} ${path}: ${reason}; ${next}`, { cause });
}
