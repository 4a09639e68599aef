/**
 * The agent's speaker: Kokoro behind SageMaker. A streamed answer is one bidirectional stream for the turn, opened
 * at once so that connecting overlaps the language model's thinking; a whole answer is one plain invocation.
 */
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import { resolveSpeechEndpoint, type SpeechEndpoint } from "../../lib/client/sagemaker/endpoint.ts";
import { type InvocationOptions, invokeEndpoint } from "../../lib/client/sagemaker/invocation.ts";
import { connectSageMaker } from "../../lib/client/sagemaker/sagemaker-transport.ts";
import { SpeechSession } from "../../lib/client/speech-session.ts";
import type { SpeechTransport } from "../../lib/client/transport.ts";
import { SpeechError } from "../../lib/errors.ts";
import { AUDIO_CONTENT_TYPES } from "../../lib/protocol/invocations.ts";
import type { Speech, SpokenAnswer, TurnRequest } from "./turn.ts";

export interface SpeechOptions {
  readonly region: string;
  /** Stands in for SageMaker's runtime. */
  readonly endpointUrl: string | undefined;
  readonly credentials: AwsCredentialIdentityProvider;
}

export function createSpeech(options: SpeechOptions): Speech {
  const { region, endpointUrl, credentials } = options;
  const endpointOf = ({ endpointName }: TurnRequest): SpeechEndpoint =>
    resolveSpeechEndpoint({
      endpointName,
      region,
      ...(endpointUrl !== undefined && { overrideUrl: endpointUrl }),
    });
  return {
    open: (request) =>
      new SessionAnswer(connectSageMaker({ endpoint: endpointOf(request), credentials }), request),
    speakWhole: (text, request, signal) =>
      speakWhole(text, request, { endpoint: endpointOf(request), credentials, signal }),
  };
}

async function speakWhole(
  text: string,
  { requestId, voice, speed }: TurnRequest,
  options: InvocationOptions,
): Promise<Uint8Array> {
  const { body, contentType } = await invokeEndpoint(
    {
      text,
      voice,
      speed,
      normalize: false,
      format: "pcm",
      request_id: `${requestId}.1`,
      request_timestamp: Date.now() / 1000,
    },
    options,
  );
  if (!contentType.startsWith(AUDIO_CONTENT_TYPES.pcm) || body.length % 2 !== 0) {
    throw new SpeechError(
      "PROTOCOL_VIOLATION",
      `the speech endpoint was asked for PCM16, got ${body.length} bytes of "${contentType.slice(0, 40)}"; see that ${options.endpoint.endpointName} is a Kokoro endpoint`,
    );
  }
  return body;
}

/** Numbers the sentences of one turn, in the ids that the container logs too, and makes one failed sentence final. */
export class SessionAnswer implements SpokenAnswer {
  readonly #session: SpeechSession;
  readonly #stop = new AbortController();

  constructor(transport: SpeechTransport, { requestId, voice, speed }: TurnRequest) {
    let sentence = 0;
    this.#session = new SpeechSession(transport, {
      utterance: { voice, speed, normalize: false },
      signal: this.#stop.signal,
      newRequestId: () => `${requestId}.${++sentence}`,
    });
  }

  async say(sentence: string): Promise<void> {
    await this.#session.speak(sentence);
  }

  async finish(): Promise<void> {
    this.#session.finish();
  }

  get audio(): AsyncIterable<Uint8Array> {
    return this.#audio();
  }

  destroy(reason: Error): void {
    this.#stop.abort(reason);
  }

  async *#audio(): AsyncGenerator<Uint8Array> {
    for await (const event of this.#session) {
      if (event.type === "audio") yield event.bytes;
      else if (event.type === "utterance-failed") throw notSpoken(event.sentence, event.error);
    }
  }
}

/** An answer with a hole in it would sound whole: the turn ends here, and says where. */
function notSpoken(sentence: number, error: SpeechError): SpeechError {
  return new SpeechError(error.code, `sentence ${sentence} of this turn was not spoken: ${error.message}`, {
    cause: error,
    retryable: error.retryable && sentence === 1,
    details: { ...error.details, sentence },
  });
}
