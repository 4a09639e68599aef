/** The end of a container's log, for the message of a failure. */
import {
  CloudWatchLogsClient,
  DescribeLogStreamsCommand,
  GetLogEventsCommand,
} from "@aws-sdk/client-cloudwatch-logs";
import { type AwsPlace, clientOptions } from "./aws-clients.ts";

/** @returns the newest stream's last lines, none where nothing was ever logged or may be read: it is told beside a failure. */
export async function lastContainerLines(
  place: AwsPlace,
  logGroupName: string,
  lines: number,
): Promise<readonly string[]> {
  const client = new CloudWatchLogsClient({ ...clientOptions(place), maxAttempts: 2 });
  try {
    const { logStreams } = await client.send(
      new DescribeLogStreamsCommand({ logGroupName, orderBy: "LastEventTime", descending: true, limit: 1 }),
    );
    const logStreamName = logStreams?.[0]?.logStreamName;
    if (logStreamName === undefined) return [];
    const { events } = await client.send(
      new GetLogEventsCommand({ logGroupName, logStreamName, limit: lines, startFromHead: false }),
    );
    return (events ?? []).map(({ message }) => (message ?? "").trimEnd());
  } catch {
    return [];
  } finally {
    client.destroy();
  }
}
