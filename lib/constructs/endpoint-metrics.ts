/** The endpoint's metrics, as SageMaker names them: one place for alarms and dashboard. */
import { Duration } from "aws-cdk-lib";
import { Metric, type MetricProps } from "aws-cdk-lib/aws-cloudwatch";

/** https://docs.aws.amazon.com/sagemaker/latest/dg/monitoring-cloudwatch.html */
const REQUESTS = "AWS/SageMaker";
const INSTANCES = "/aws/sagemaker/Endpoints";
const PERIOD = Duration.minutes(1);

export class EndpointMetrics {
  readonly #dimensionsMap: Record<string, string>;

  constructor(endpointName: string, variantName: string) {
    this.#dimensionsMap = { EndpointName: endpointName, VariantName: variantName };
  }

  /** Microseconds from request to the container's first answer. */
  modelLatency(statistic: string): Metric {
    return this.#metric(REQUESTS, "ModelLatency", statistic);
  }

  invocations(): Metric {
    return this.#metric(REQUESTS, "Invocations", "Sum");
  }

  concurrentRequests(): Metric {
    return this.#metric(REQUESTS, "ConcurrentRequestsPerModel", "Maximum");
  }

  /** Answers of 500 and above, the container's and SageMaker's own. */
  serverErrors(): Metric {
    return this.#metric(REQUESTS, "Invocation5XXErrors", "Sum");
  }

  /** Requests that did not come to an answer of 200: the container refused the connection, broke it, or timed out. */
  modelErrors(): Metric {
    return this.#metric(REQUESTS, "InvocationModelErrors", "Sum");
  }

  /** Instances report each minute: how many reports is how many are alive. */
  hostReports(): Metric {
    return this.#metric(INSTANCES, "CPUUtilization", "SampleCount");
  }

  utilization(name: "CPUUtilization" | "MemoryUtilization" | "GPUUtilization"): Metric {
    return this.#metric(INSTANCES, name, "Average");
  }

  #metric(namespace: string, metricName: string, statistic: string): Metric {
    const props: MetricProps = { namespace, metricName, statistic, period: PERIOD };
    return new Metric({ ...props, dimensionsMap: this.#dimensionsMap });
  }
}
