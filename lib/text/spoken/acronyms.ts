/**
 * Words in capitals: letters are spelt (F.B.I.), names that are read stay (NASA), and what is merely shouted (STOP)
 * becomes a plain word. English only: the phonemizer spells the rest by its own rules.
 */
import { type Rule, rule } from "./rule.ts";

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/));

/** Read as a word. */
const READ = words(
  `NASA NATO UNESCO UNICEF OPEC AIDS COVID LASER RADAR SCUBA NAFTA ASEAN FIFA UEFA IKEA LEGO NASDAQ JPEG GIF
  RAM ROM SIM PIN LAN WAN JSON YAML TOML AJAX CRUD REST SOAP BIOS DOS LIDAR SONAR SWAT TASER ACID POSIX ASCII
  MIDI WYSIWYG OSHA FEMA SARS MERS IMAX WASM ARM RISC CUDA RAID NIST CERN ESA BASIC COBOL FORTRAN BERT LLAMA`,
);
/** Spelt although they look like words. */
const SPELT = words(
  `US UK EU UN AI IT ID UI UX PC TV DVD CD CEO CFO CTO COO HR PR VR AR IQ EQ ETA FAQ DIY VIP RIP ATM ICU ER UFO
  API AWS IBM CIA FBI NSA EPA FDA IRS NBA NFL NHL USA UAE USB URL URI IP OS IOS CPU GPU TPU AC DC AM PM IPO
  APR ROI KPI OKR B2B EST EDT CST PST UTC GMT USSR BBC CNN ABC NBC PBS MTV HBO IEEE ISO IEC ETL ERP SAAS ICAO
  IATA ADHD IVF DNA RNA MRI ECG EEG LLM NLP OCR ASR TTS STT SQL CSS HTML HTTP HTTPS XML PDF SDK IDE CLI GUI ISBN ASAP ATV HVAC FYI EOD`,
);
/** Short words that are shouted more often than they abbreviate. */
const SHORT_WORDS = words(
  `A I AM AN AS AT BE BY DO GO HE IF IN IS ME MY NO OF ON OR SO TO UP WE ALL AND ANY ARE ASK BAD BAN BIG BUT BUY
  CAN DAY DID END FAR FEW FOR FUN GET GOT HAD HAS HER HIM HIS HOT HOW ITS LET LOT MAN MAY NEW NOT NOW OFF OLD ONE
  OUR OUT OWN PUT RED RUN SAD SAY SEE SET SHE SIT SIX TEN THE TOO TOP TRY TWO USE WAR WAS WAY WHO WHY WIN WOW YES
  YET YOU ONLY`,
);
const ALWAYS_KEPT = words("OK I A");

/** One word of capitals, perhaps plural or possessive: FBI, PDFs, NASA's. */
const CAPITALS = String.raw`(?<![\p{L}\p{N}_.&])(\p{Lu}{2,})(s|['’]s)?(?![\p{L}\p{N}_]|\.\p{L}|&\p{L})`;

export function acronymRules(): Rule[] {
  return [
    // Several in a row, or a whole sentence: shouting. A single letter in between goes along.
    rule(
      String.raw`(?<![\p{L}\p{N}_])\p{Lu}[\p{Lu}'’]*(?:[ ,]+\p{Lu}[\p{Lu}'’]*)+(?![\p{L}\p{N}_])`,
      (match) => {
        const shouted = match!.match(/[\p{Lu}'’]{2,}/gu) ?? [];
        if (shouted.length < 2 || !shouted.some((word) => isShouted(word))) return undefined;
        return match!.replace(/[\p{Lu}'’]{2,}/gu, (word) =>
          isAbbreviation(word) ? word : word.toLowerCase(),
        );
      },
    ),
    rule(CAPITALS, (_, word, ending) => {
      if (ALWAYS_KEPT.has(word!) || READ.has(word!)) return undefined;
      if (!SPELT.has(word!) && isShouted(word!)) return `${word!.toLowerCase()}${ending}`;
      const letters = Array.from(word!).join(".");
      // "PDFs" would lose its s in dots.
      return ending === "" ? `${letters}.` : `${letters}.'s`;
    }),
    // The stop of an abbreviation at the end of a sentence is its last one.
    rule(String.raw`(?<=\p{Lu}\.\p{Lu})\.\.(?!\.)`, () => "."),
  ];
}

function isAbbreviation(word: string): boolean {
  return (
    ALWAYS_KEPT.has(word) || READ.has(word) || (SPELT.has(word) && word.length > 2) || !/[AEIOUY]/.test(word)
  );
}

/** A plain English word, as far as its letters tell: known and short, or long with vowels in it. */
function isShouted(word: string): boolean {
  if (READ.has(word)) return false;
  if (SHORT_WORDS.has(word)) return true;
  return (
    word.length >= 4 &&
    !SPELT.has(word) &&
    /[AEIOUY]/.test(word) &&
    /[^AEIOUY]/.test(word) &&
    !/[^AEIOUY]{5}/.test(word)
  );
}
