"""Writing into CloudWatch Logs as a service does: it makes the group and the stream when they are not there."""

import time

from ministack.services import cloudwatch_logs as logs


def write_log(group_name, stream_name, lines):
    now = int(time.time() * 1000)
    group = logs._log_groups.get(group_name)
    if group is None:
        group = logs._log_groups[group_name] = {
            "arn": logs._make_group_arn(group_name), "creationTime": now, "retentionInDays": None, "tags": {},
            "subscriptionFilters": {}, "streams": {},
        }
    stream = group["streams"].setdefault(stream_name, {
        "events": [], "uploadSequenceToken": "1", "creationTime": now, "firstEventTimestamp": None,
        "lastEventTimestamp": None, "lastIngestionTime": None,
    })
    logs._append_log_events(
        stream, [{"timestamp": now + i, "message": line, "ingestionTime": now} for i, line in enumerate(lines)])
