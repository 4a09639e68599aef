/** `speech-infra say`: flags only; say-run.ts does the work. */
import { Command, Option } from "commander";
import {
  jsonOption,
  profileOption,
  regionOption,
  speechEndpointOption,
  speedOption,
  verboseOption,
  voiceOption,
} from "../options.ts";
import type { CliContext } from "../run.ts";
import { runSay, type SayOptions } from "./say-run.ts";

export function sayCommand(context: CliContext): Command {
  return new Command("say")
    .description(
      "Speak a text into a WAV or MP3 file. Without --endpoint-url and --speech-endpoint the speech server is " +
        "started here and stopped at the end.",
    )
    .argument("[text]", "what to say; - reads standard input, sentence by sentence as it comes")
    .option("--file <path>", "read the text from a file")
    .option("--out <path>", "file to write; .wav or .mp3 chooses the format", "out/speech.wav")
    .addOption(voiceOption())
    .addOption(speedOption())
    .addOption(
      new Option(
        "--endpoint-url <url>",
        "a speech server that already runs, e.g. one of `speech-infra serve`",
      ).conflicts("speechEndpoint"),
    )
    .addOption(speechEndpointOption())
    .addOption(regionOption())
    .addOption(profileOption())
    .addOption(verboseOption())
    .option(
      "--lexicon <path>",
      'JSON file of words and what is said for them: {"SQL": "sequel", "Nguyen": "/wˈɪn/"}',
    )
    .option("--no-normalize", "say the words as they are written: no numbers, signs or markdown read out")
    .option("--explain", "print the pieces, what is said and the phonemes; speak nothing", false)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      `
Examples:
  speech-infra say "Hello there." --out hello.wav
  speech-infra say --file chapter.txt --out chapter.mp3 --voice bf_emma --speed 1.1
  some-program | speech-infra say - --out answer.wav
  speech-infra say "Hello." --endpoint-url http://127.0.0.1:8080 --json
  speech-infra say "Dr. Lee paid $5.50 at 9 a.m." --explain`,
    )
    .action((text: string | undefined, options: SayOptions) => runSay(text, options, context));
}
