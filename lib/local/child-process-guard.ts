/**
 * Loaded into every process of the local system before its own code: when the IPC channel to the process that
 * started it closes, that one has gone (killed, perhaps), and nobody else would end this process. From the first
 * moment on, so that not even one that is still loading stays behind.
 */

/** Time for an orderly end; the same as child-process.ts gives. */
const STOP_LIMIT_MS = 5_000;

process.on("disconnect", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.kill(process.pid, "SIGKILL"), STOP_LIMIT_MS).unref();
});
// A listener holds the channel, and with it the process, open; the service's own work alone shall do that.
process.channel?.unref();
