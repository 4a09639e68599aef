/**
 * The TTS container as a process of its own, with the fake engine in it: `node test/helpers/fake-tts-container.ts
 * '{"msPerAudioSecond": 100}'`. The server is the real one; its log lines tell what became of every sentence.
 */
import { SYSTEM_CLOCK } from "../../container/tts/clock.ts";
import { createLog } from "../../container/tts/log.ts";
import { TtsServer } from "../../container/tts/server.ts";
import { SpeechService } from "../../container/tts/speech-service.ts";
import { FakeSynthesizer, type FakeSynthesizerOptions } from "./fake-synthesizer.ts";

const options = JSON.parse(process.argv[2] ?? "{}") as FakeSynthesizerOptions;
const log = createLog((line) => process.stdout.write(`${line}\n`), SYSTEM_CLOCK.wallMs);
const service = new SpeechService({
  textMaxChars: 10_000,
  turnsAtOnce: 2,
  queueMax: 32,
  clock: SYSTEM_CLOCK,
  log,
});
service.becomeReady(new FakeSynthesizer(options));
const server = await TtsServer.start({ host: "127.0.0.1", port: 0, service });
log("info", "listening", { host: "127.0.0.1", port: server.port });
process.on("SIGTERM", () => process.exit(0));
if (process.connected) process.on("disconnect", () => process.exit(0));
