/** Speech in the foreground: started, announced with something to try, and stopped by a signal. */
import { startLocalSystem } from "../../lib/local/local-system.ts";
import { INVOCATIONS_PATH } from "../../lib/protocol/limits.ts";
import { untilStopped } from "../foreground.ts";
import { modelDirFinder } from "../model-dir.ts";
import type { CliContext } from "../run.ts";
import { showServiceLog } from "../service-log.ts";

export interface ServeSpeechOptions {
  readonly port: number;
  readonly frontDoorPort: number;
  readonly host: string;
  readonly speechEndpoint: string;
  readonly verbose: boolean;
}

export async function serveSpeech(options: ServeSpeechOptions, context: CliContext): Promise<void> {
  const { output, env, signal } = context;
  const { host, speechEndpoint } = options;
  output.status("Starting the speech server ...");
  const system = await startLocalSystem({
    env,
    signal,
    modelDir: modelDirFinder(output),
    tts: { host, port: options.port, portFlag: "--port" },
    frontDoor: {
      host,
      port: options.frontDoorPort,
      portFlag: "--front-door-port",
      endpointName: speechEndpoint,
    },
    ...(options.verbose && { onLog: showServiceLog(output) }),
  });
  const { tts, frontDoor } = system.urls;
  await untilStopped(system, context, () => {
    output.result({ ready: true, urls: { tts, frontDoor }, speechEndpoint });
    output.line(`Ready: speech on ${tts}, SageMaker stand-in on ${frontDoor} (endpoint ${speechEndpoint})`);
    output.line();
    output.line("Try:");
    output.line(`  curl -s ${tts}${INVOCATIONS_PATH} -H 'content-type: application/json' \\`);
    output.line(`    -d '{"text": "Hello there."}' -o hello.wav`);
    output.line(`  npx speech-infra say "Hello there." --endpoint-url ${tts} --out hello.wav`);
    output.line();
    output.line("Ctrl-C stops it.");
  });
}
