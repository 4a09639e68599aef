/** How the speech side is: stacks, endpoint, scaling, alarms, and whether this machine's source is what runs. */
import type { SpeechNames } from "../../config/deployment-names.ts";
import { SPEECH_CATALOG } from "../../config/speech-catalog.ts";
import type { AwsPlace } from "../aws-clients.ts";
import { type Drift, findDrift, localContent } from "./drift.ts";
import {
  type AlarmReport,
  EndpointReader,
  type EndpointReport,
  type ScalingReport,
} from "./endpoint-report.ts";
import { type Health, judgeHealth } from "./health.ts";
import { StackReader, type StackReport, stackReport } from "./stack-report.ts";

export interface SpeechStatus {
  readonly health: Health;
  readonly stage: string;
  readonly modelId: string;
  readonly region: string;
  /** In the order of deployment. */
  readonly stacks: readonly StackReport[];
  readonly endpoint: EndpointReport | null;
  readonly scaling: ScalingReport | null;
  /** That ring now. */
  readonly alarms: readonly AlarmReport[];
  readonly drift: readonly Drift[];
  readonly lastError: string | null;
}

/** Changes nothing. @throws {SpeechError} ACCESS_DENIED, TRANSPORT_FAILED, ... */
export async function speechStatus(
  names: SpeechNames,
  place: AwsPlace,
  signal: AbortSignal,
): Promise<SpeechStatus> {
  const stackNames = [names.stacks.foundation, names.stacks.modelCache, names.stacks.endpoint];
  const reader = new StackReader(place, signal);
  const endpoints = new EndpointReader(place, names, signal);
  const [stacks, endpoint, scaling] = await Promise.all([
    Promise.all(stackNames.map((name) => reader.read(name))),
    endpoints.endpoint(),
    endpoints.scaling(),
  ]);
  const service = stacks[2];
  const [alarms, stackError, local] = await Promise.all([
    service === undefined ? [] : endpoints.alarms(service.name, reader.client),
    reader.lastError(stacks),
    endpoint === undefined ? {} : localContent("tts", SPEECH_CATALOG[names.modelId].device),
  ]);
  return {
    health: judgeHealth({
      stacks: stacks.map((stack) => stack?.status),
      serviceStack: service?.status,
      service: endpoint === undefined ? [] : [endpoint.status],
      alarms: alarms.length,
    }),
    stage: names.stage,
    modelId: names.modelId,
    region: place.region,
    stacks: stackNames.map((name, index) => stackReport(name, stacks[index])),
    endpoint: endpoint ?? null,
    scaling: scaling ?? null,
    alarms,
    drift: endpoint === undefined ? [] : findDrift(endpoint, local, names.repository),
    lastError: endpoint?.failureReason ?? stackError ?? null,
  };
}
