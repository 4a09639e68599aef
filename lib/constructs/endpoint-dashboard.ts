/** One page: is it heard soon, does it fail, how busy is it. */
import { Stack } from "aws-cdk-lib";
import { Dashboard, GraphWidget, type IMetric } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { SpeechDevice } from "../config/speech-catalog.ts";
import type { EndpointMetrics } from "./endpoint-metrics.ts";

export interface EndpointDashboardProps {
  readonly endpointName: string;
  readonly metrics: EndpointMetrics;
  readonly device: SpeechDevice;
}

export class EndpointDashboard extends Construct {
  constructor(scope: Construct, id: string, { endpointName, metrics, device }: EndpointDashboardProps) {
    super(scope, id);
    const graph = (title: string, ...left: IMetric[]) => new GraphWidget({ title, left, width: 12 });
    new Dashboard(this, "Dashboard", {
      // One space of names for all regions of an account.
      dashboardName: `${endpointName}-${Stack.of(this).region}`,
      widgets: [
        [
          graph("First answer (µs)", metrics.modelLatency("p50"), metrics.modelLatency("p95")),
          graph("Requests", metrics.invocations(), metrics.concurrentRequests()),
        ],
        [
          graph("Failures", metrics.serverErrors(), metrics.platformErrors()),
          graph(
            "Utilization (%)",
            metrics.utilization("CPUUtilization"),
            metrics.utilization("MemoryUtilization"),
            ...(device === "cuda" ? [metrics.utilization("GPUUtilization")] : []),
          ),
        ],
      ],
    });
  }
}
