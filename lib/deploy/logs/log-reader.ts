/** Lines of CloudWatch log groups in the order of their times; once, or on and on. */
import { setTimeout as delay } from "node:timers/promises";
import {
  CloudWatchLogsClient,
  type FilteredLogEvent,
  FilterLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { isSpeechError, SpeechError } from "../../errors.ts";
import { type AwsPlace, clientOptions, pollIntervalMs } from "../aws-clients.ts";
import { asking, isMissing } from "../aws-failure.ts";
import { SeenEvents } from "./seen-events.ts";

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly stream: string;
  readonly message: string;
}

export interface LogQuery {
  /** One that is not there (yet) has no lines. */
  readonly groups: readonly string[];
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
}

/** A quiet log is asked less and less often, up to so many times the interval. */
const QUIET_FACTOR_MAX = 5;

export class LogReader {
  readonly #client: CloudWatchLogsClient;
  readonly #place: AwsPlace;
  readonly #signal: AbortSignal;

  constructor(place: AwsPlace, signal: AbortSignal) {
    this.#client = new CloudWatchLogsClient(clientOptions(place));
    this.#place = place;
    this.#signal = signal;
  }

  /**
   * What there is now.
   * @throws {SpeechError} STACK_NOT_DEPLOYED when none of the groups is there.
   */
  async read({ groups, sinceMs }: LogQuery): Promise<LogLine[]> {
    const found = await Promise.all(groups.map((group) => this.#events(group, sinceMs)));
    if (found.every((events) => events === undefined)) {
      throw new SpeechError(
        "STACK_NOT_DEPLOYED",
        `there is no log ${groups.join(" or ")} in this account and region; see with status what is deployed`,
      );
    }
    return inOrder(found.flatMap((events) => events ?? [])).map(logLine);
  }

  /** Ends by the signal alone. */
  async *follow({ groups, sinceMs }: LogQuery): AsyncGenerator<LogLine, never, undefined> {
    const seen = new SeenEvents(sinceMs);
    const intervalMs = pollIntervalMs(this.#place) / 3;
    let factor = 1;
    for (;;) {
      const fresh = await this.#fresh(groups, seen);
      for (const event of fresh ?? []) yield logLine(event);
      if (fresh === undefined) factor = QUIET_FACTOR_MAX;
      else factor = fresh.length > 0 ? 1 : Math.min(QUIET_FACTOR_MAX, factor * 1.5);
      await delay(intervalMs * factor, undefined, { signal: this.#signal });
    }
  }

  /** @returns undefined when CloudWatch asks for a pause. */
  async #fresh(groups: readonly string[], seen: SeenEvents): Promise<FilteredLogEvent[] | undefined> {
    try {
      const found = await Promise.all(groups.map((group) => this.#events(group, seen.fromMs)));
      return seen.take(inOrder(found.flatMap((events) => events ?? [])));
    } catch (error) {
      if (isSpeechError(error) && error.code === "THROTTLED") return undefined;
      throw error;
    }
  }

  async #events(logGroupName: string, startTime: number): Promise<FilteredLogEvent[] | undefined> {
    return await asking("logs:FilterLogEvents", this.#place.region, this.#signal, async () => {
      const found: FilteredLogEvent[] = [];
      let nextToken: string | undefined;
      try {
        do {
          const page = await this.#client.send(
            new FilterLogEventsCommand({ logGroupName, startTime, nextToken }),
            { abortSignal: this.#signal },
          );
          found.push(...(page.events ?? []));
          nextToken = page.nextToken;
        } while (nextToken !== undefined);
        return found;
      } catch (cause) {
        if (isMissing(cause)) return undefined;
        throw cause;
      }
    });
  }
}

function inOrder(events: FilteredLogEvent[]): FilteredLogEvent[] {
  return events.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
}

function logLine({ timestamp, logStreamName, message }: FilteredLogEvent): LogLine {
  return { timeMs: timestamp ?? 0, stream: logStreamName ?? "", message: (message ?? "").trimEnd() };
}
