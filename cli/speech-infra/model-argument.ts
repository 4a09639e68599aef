/** Which entry of the catalog a command is about. */
import { Argument } from "commander";
import { requireSpeechModel, SPEECH_MODEL_IDS } from "../../lib/config/speech-catalog.ts";

export const modelArgument = () =>
  new Argument("[model]", `${SPEECH_MODEL_IDS.join(" or ")}`)
    .default(SPEECH_MODEL_IDS[0])
    .argParser((id) => requireSpeechModel(id).id);
