/** The float32 export and the voices from Hugging Face, or a mirror of it, at the pinned revision. */
import { join } from "node:path";
import { HUGGING_FACE, VOICE_FILES } from "./catalog.ts";
import { download } from "./download.ts";
import type { FetchContext } from "./progress.ts";

/** Voices fetched side by side: they are half a megabyte each, so the way there and back counts most. */
const VOICES_AT_ONCE = 6;

/** Path of the graph, checked. */
export async function fetchGraphFromHuggingFace(
  baseUrl: string,
  downloadsDir: string,
  context: FetchContext,
): Promise<string> {
  const destination = join(downloadsDir, "kokoro-v1.0.fp32.onnx");
  await download(addressOf(baseUrl, HUGGING_FACE.graph.path), HUGGING_FACE.graph, destination, context);
  return destination;
}

/** Puts the 54 voice files into `voicesDir`. */
export async function fetchVoicesFromHuggingFace(
  baseUrl: string,
  voicesDir: string,
  context: FetchContext,
): Promise<void> {
  const waiting = [...VOICE_FILES];
  const fetchNext = async (): Promise<void> => {
    for (let voice = waiting.shift(); voice; voice = waiting.shift()) {
      const url = addressOf(baseUrl, HUGGING_FACE.voicePath(voice.name));
      await download(url, voice, join(voicesDir, `${voice.name}.bin`), context);
    }
  };
  await Promise.all(Array.from({ length: VOICES_AT_ONCE }, fetchNext));
}

function addressOf(baseUrl: string, path: string): string {
  return `${baseUrl}/${HUGGING_FACE.repositoryPath}/${path}`;
}
