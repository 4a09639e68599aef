/**
 * The 54 voices of Kokoro-82M v1.0. A name tells all there is to know: first letter the language, second the
 * gender (f, m), then a given name. Source: VOICES.md of huggingface.co/hexgrad/Kokoro-82M (Apache-2.0).
 */
import { editDistance } from "../config/edit-distance.ts";
import { SpeechError } from "../errors.ts";
import { type LanguageTag, languageOfVoice } from "../text/language.ts";
import { readBlend } from "./voice-blend.ts";

export interface Voice {
  readonly name: string;
  readonly language: LanguageTag;
  readonly gender: "female" | "male";
}

const NAMES = [
  "af_alloy af_aoede af_bella af_heart af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky",
  "am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa",
  "bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis",
  "ef_dora em_alex em_santa",
  "ff_siwis",
  "hf_alpha hf_beta hm_omega hm_psi",
  "if_sara im_nicola",
  "jf_alpha jf_gongitsune jf_nezumi jf_tebukuro jm_kumo",
  "pf_dora pm_alex pm_santa",
  "zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang",
].flatMap((line) => line.split(" "));

/** In the order of their names. */
export const VOICES: readonly Voice[] = NAMES.map((name) => ({
  name,
  language: languageOfVoice(name),
  gender: name[1] === "f" ? "female" : "male",
}));

const VOICE_BY_NAME: ReadonlyMap<string, Voice> = new Map(VOICES.map((voice) => [voice.name, voice]));

/**
 * A voice, or a blend of several (voice-blend.ts), which has the language of all and the gender of the weightiest.
 * @throws {SpeechError} UNKNOWN_VOICE that gives the nearest names, or says how a blend is written.
 */
export function findVoice(name: string): Voice {
  const shares = readBlend(name);
  if (shares.length === 1) return findOne(shares[0]!.name);
  const voices = shares.map((share) => findOne(share.name));
  const languages = [...new Set(voices.map((voice) => voice.language))];
  if (languages.length > 1) {
    throw new SpeechError(
      "UNKNOWN_VOICE",
      `the voices of a blend must speak one language, got ${languages.join(" and ")}; take voices whose names begin with the same letter`,
      { details: { languages } },
    );
  }
  const weightiest = shares.reduce(
    (most, share, index) => (share.share > shares[most]!.share ? index : most),
    0,
  );
  return { ...voices[weightiest]!, name };
}

function findOne(name: string): Voice {
  const voice = VOICE_BY_NAME.get(name);
  if (voice) return voice;
  const nearest = nearestVoices(name);
  throw new SpeechError(
    "UNKNOWN_VOICE",
    `voice ${JSON.stringify(name.slice(0, SHOWN_NAME_MAX_CHARS))} is not known; nearest are ${nearest.join(", ")}`,
    { details: { nearest } },
  );
}

/** A caller's voice is echoed no longer than this, so that a text sent in the wrong field is not. */
const SHOWN_NAME_MAX_CHARS = 32;
const NEAREST_COUNT = 3;

/** Names by edit distance; one that agrees in the given name alone (`heart`) counts as near too. */
export function nearestVoices(name: string, count = NEAREST_COUNT): string[] {
  const wanted = name.slice(0, SHOWN_NAME_MAX_CHARS).toLowerCase();
  return VOICES.map((voice) => ({
    name: voice.name,
    distance: Math.min(
      editDistance(wanted, voice.name),
      editDistance(wanted, voice.name.slice(3)) + GIVEN_NAME_PENALTY,
    ),
  }))
    .sort((a, b) => a.distance - b.distance) // stable: ties stay in the order of names
    .slice(0, count)
    .map((voice) => voice.name);
}
const GIVEN_NAME_PENALTY = 0.5;
