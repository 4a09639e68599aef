/**
 * What is rung for. The first two also roll an update back; slow answers and lost hosts do not, because a new fleet is
 * slow while it warms up and silent before it is there.
 */
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { type ITopic, Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import type { EndpointMetrics } from "./endpoint-metrics.ts";

/**
 * Longest answer that is no fault, in seconds. A GPU speaks a paragraph in less than one. On CPUs a paragraph asked for
 * in one piece (`batch`) takes eight (docs/benchmarks.md).
 */
const LATENCY_P95_SECONDS: Readonly<Record<SpeechDevice, number>> = { cuda: 2, cpu: 15 };
const LATENCY_MINUTES = 5;
const ERRORS_A_MINUTE = 5;
const ERROR_MINUTES = 2;
const HOST_MINUTES = 5;

export interface EndpointAlarmsProps {
  /** Prefix of the alarms' names. */
  readonly endpointName: string;
  readonly metrics: EndpointMetrics;
  readonly device: SpeechDevice;
  readonly minInstances: number;
  readonly alarmTopicArn: string | undefined;
}

interface AlarmChoice {
  readonly name: string;
  readonly description: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly minutes: number;
  readonly comparison?: ComparisonOperator;
  readonly missing?: TreatMissingData;
}

export class EndpointAlarms extends Construct {
  readonly rollback: readonly Alarm[];
  /** To be made after the endpoint: before it there is no host, which would ring. */
  readonly unhealthyHosts: Alarm;

  constructor(scope: Construct, id: string, props: EndpointAlarmsProps) {
    super(scope, id);
    const { metrics, device } = props;
    const latencySeconds = LATENCY_P95_SECONDS[device];
    const topic =
      props.alarmTopicArn === undefined ? undefined : Topic.fromTopicArn(this, "Topic", props.alarmTopicArn);
    const alarm = (choice: AlarmChoice) => this.#alarm(props.endpointName, topic, choice);
    const serverErrors = alarm({
      name: "5xx",
      description: "The endpoint answers with 500 and above.",
      metric: metrics.serverErrors(),
      threshold: ERRORS_A_MINUTE,
      minutes: ERROR_MINUTES,
    });
    const platformErrors = alarm({
      name: "platform-errors",
      description: "Requests come to no answer: the container refuses, breaks off or is too late.",
      metric: metrics.platformErrors(),
      threshold: ERRORS_A_MINUTE,
      minutes: ERROR_MINUTES,
    });
    alarm({
      name: "latency-p95",
      description: `One answer in twenty takes longer than ${latencySeconds} s.`,
      metric: metrics.modelLatency("p95"),
      threshold: latencySeconds * 1_000_000, // SageMaker counts microseconds
      minutes: LATENCY_MINUTES,
    });
    this.unhealthyHosts = alarm({
      name: "unhealthy-hosts",
      description: "Fewer instances report than the least there should be.",
      metric: metrics.hostReports(),
      threshold: props.minInstances,
      minutes: HOST_MINUTES,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
    });
    this.rollback = [serverErrors, platformErrors];
  }

  #alarm(endpointName: string, topic: ITopic | undefined, choice: AlarmChoice): Alarm {
    const alarm = new Alarm(this, choice.name, {
      alarmName: `${endpointName}-${choice.name}`,
      alarmDescription: choice.description,
      metric: choice.metric,
      threshold: choice.threshold,
      comparisonOperator: choice.comparison ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: choice.minutes,
      datapointsToAlarm: choice.minutes,
      treatMissingData: choice.missing ?? TreatMissingData.NOT_BREACHING,
    });
    if (topic !== undefined) alarm.addAlarmAction(new SnsAction(topic));
    return alarm;
  }
}
