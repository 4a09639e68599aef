"""CloudWatch alarms on metric math, which MiniStack's CloudFormation refuses: kept and described, never evaluated."""

from ministack.services.cloudformation import provisioners


def install():
    provisioners._cw_metric_alarm_record = _with_metrics(provisioners._cw_metric_alarm_record)


def _with_metrics(record_of):
    def run(name, props):
        metrics = props.get("Metrics")
        if not metrics:
            return record_of(name, props)
        single = {**props, "MetricName": "math", "Namespace": "math"}
        single.pop("Metrics")
        record = record_of(name, single)
        record.update(MetricName=None, Namespace=None, Metrics=[_typed(metric) for metric in metrics])
        for key in ("Statistic", "Period"):
            record[key] = None
        return record
    return run


def _typed(metric):
    """A template may carry numbers and booleans as strings; the API's answers may not."""
    typed = dict(metric)
    if "Period" in typed:
        typed["Period"] = int(typed["Period"])
    typed["ReturnData"] = str(typed.get("ReturnData", True)).lower() == "true"
    if "MetricStat" in typed:
        typed["MetricStat"] = {**typed["MetricStat"], "Period": int(typed["MetricStat"]["Period"])}
    return typed
