/** The zip that CodeBuild builds an image from, made of texts: stored, not compressed (PKWARE's APPNOTE, 4.3). */
import { crc32 } from "node:zlib";

export function sourceZip(files: Readonly<Record<string, string>>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const name = Buffer.from(path);
    const data = Buffer.from(text);
    // Shared by both headers, from "version needed" to "extra field length".
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, data]);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, place, name]));
    bodies.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...bodies, entries, Buffer.from("PK\x05\x06"), end]);
}

const LABEL = "com.amazonaws.sagemaker.capabilities.bidirectional-streaming";

/** Enough for a build of `container/<image>` to succeed. */
export function imageSource(image: "tts" | "agent"): Buffer {
  return sourceZip({
    [`container/${image}/Dockerfile`]: [
      "FROM node:24",
      `COPY container/${image}/package.json ./`,
      "COPY lib ./lib",
      ...(image === "tts" ? [`LABEL ${LABEL}=true`] : []),
    ].join("\n"),
    [`container/${image}/package.json`]: "{}",
    "lib/errors.ts": "",
  });
}
