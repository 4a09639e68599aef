/**
 * Entry of the agent's image: `node container/agent/main.ts serve`. It reads the settings, joins the parts and
 * serves until SIGTERM; turns that run may finish first. The only place of this container that ends the process.
 */

import { awsCredentials } from "../../lib/client/sagemaker/credentials.ts";
import { resolveSpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import { readAgentSettings } from "../../lib/config/agent-settings.ts";
import { SpeechError, toSpeechError } from "../../lib/errors.ts";
import { warmUpSpeakableText } from "../../lib/text/speakable-warm-up.ts";
import { AgentServer, serverLogStream } from "./agent-server.ts";
import { createAgentApp } from "./app.ts";
import { createBedrockModel } from "./language-model.ts";
import { createLog, describeError } from "./log.ts";
import { toModelFailure } from "./model-failure.ts";
import { createSpeech } from "./speech.ts";
import { TurnRunner } from "./turn-runner.ts";
import { VoiceAgents } from "./voice-agents.ts";

/** Turns that run at SIGTERM may finish within this; below the 30 s after which a container is commonly killed. */
const DRAIN_LIMIT_MS = 25_000;

const log = createLog((line) => process.stdout.write(line));

async function serve(): Promise<void> {
  const settings = readAgentSettings();
  const credentials = awsCredentials();
  // Checked now: a name or region that cannot be right should not wait for the first turn.
  resolveSpeechEndpoint({ endpointName: settings.speechEndpointName, region: settings.region });
  const bedrock = { region: settings.region, modelId: settings.bedrockModelId };
  const runner = new TurnRunner({
    agents: new VoiceAgents({
      model: createBedrockModel(bedrock, credentials),
      systemPrompt: settings.systemPrompt,
      sessionsMax: settings.sessionsMax,
    }),
    speech: createSpeech({ region: settings.region, endpointUrl: settings.speechEndpointUrl, credentials }),
    toModelFailure: (error) => toModelFailure(error, bedrock),
    haste: { firstPieceChars: settings.firstPieceChars, stallMs: settings.stallMs },
    log,
  });
  const app = createAgentApp({
    runner,
    endpointName: settings.speechEndpointName,
    serverLog: serverLogStream(log, (error, facts) => {
      log.error("listen_failed", { ...describeError(error), ...facts });
      process.exit(error.exitCode);
    }),
  });
  const server = new AgentServer(app);
  const { address, port } = await server.listen({ port: settings.port, host: settings.host });
  stopOnSignal(server, runner);
  log.info("listening", {
    host: address,
    port,
    region: settings.region,
    bedrock_model_id: settings.bedrockModelId,
    speech_endpoint: settings.speechEndpointName,
  });
  await warmUpSpeakableText();
}

function stopOnSignal(server: AgentServer, runner: TurnRunner): void {
  let stopping = false;
  const stop = async (signal: string) => {
    // A second signal means now.
    if (stopping) process.exit(0);
    stopping = true;
    log.info("stopping", { signal, running_turns: runner.runningTurns });
    setTimeout(() => process.exit(0), DRAIN_LIMIT_MS).unref();
    await runner.drain();
    await server.close();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // Whoever started us over an IPC channel has gone, killed perhaps: nobody else would end us.
  if (process.connected) process.on("disconnect", () => void stop("disconnect"));
}

// Node's warnings as log lines too. One is left out: bedrock-agentcore 0.4.4 sets an option that Fastify renames.
process.removeAllListeners("warning");
process.on("warning", (warning: Error & { code?: string }) => {
  if (warning.code !== "FSTDEP023") log.warn("node_warning", { name: warning.name, code: warning.code });
});
process.on("unhandledRejection", (reason) => log.error("unhandled_rejection", describeError(reason)));

try {
  if (process.argv[2] !== "serve" || process.argv.length > 3) {
    throw new SpeechError("CONFIGURATION", "usage: node container/agent/main.ts serve");
  }
  await serve();
} catch (error) {
  log.error("start_failed", describeError(error));
  process.exit(toSpeechError(error, "INTERNAL", "the agent could not start").exitCode);
}
