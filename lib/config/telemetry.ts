/**
 * ONNX Runtime 1.30 carries telemetry that reports to its maker over HTTPS unless this variable is set when its library
 * is loaded (onnxruntime/core/platform/posix/telemetry.cc). Speech is nobody else's business: it is always set.
 * Only a process's main thread can do it, since a worker's process.env is a copy that the library does not see.
 */
export function disableTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY = "1";
}
