/** The endpoint's metrics, as SageMaker names them: one place for alarms and dashboard. */
import { Duration } from "aws-cdk-lib";
import { MathExpression, Metric, type MetricProps } from "aws-cdk-lib/aws-cloudwatch";

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

  /**
   * Requests that came to no answer at all: the container refused the connection, broke it off, or timed out.
   * InvocationModelErrors counts these together with the answers of 400 and 500, which are a caller's and the container's.
   */
  platformErrors(): MathExpression {
    return new MathExpression({
      label: "no answer",
      expression: "FILL(all, 0) - FILL(refused, 0) - FILL(failed, 0)",
      usingMetrics: {
        all: this.#metric(REQUESTS, "InvocationModelErrors", "Sum"),
        refused: this.#metric(REQUESTS, "Invocation4XXErrors", "Sum"),
        failed: this.serverErrors(),
      },
      period: PERIOD,
    });
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
