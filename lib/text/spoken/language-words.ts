/** Words that numbers, money, dates and signs are read with, by language. Data, and the type of it. */

export type NumberLanguage = "en-us" | "en-gb" | "es" | "fr" | "it" | "pt-br" | "hi";
export type Gender = "masculine" | "feminine";

export interface WordsOf {
  readonly language: NumberLanguage;
  /** 1.299,50 as against 1,299.50. */
  readonly decimalComma: boolean;
  readonly point: string;
  readonly minus: string;
  readonly plus: string;
  readonly and: string;
  /** Between the ends of a range. */
  readonly to: string;
  readonly percent: string;
  readonly times: string;
  readonly equals: string;
  /** Month names from January. */
  readonly months: readonly string[];
  /** Signs of addresses. */
  readonly address: Readonly<Record<"dot" | "slash" | "at" | "dash" | "underscore" | "colon", string>>;
  /** Between a large number and what it counts: "millones DE euros". */
  readonly of: string;
}

const EN = {
  decimalComma: false,
  point: "point",
  minus: "minus",
  plus: "plus",
  and: "and",
  to: "to",
  percent: "percent",
  times: "times",
  equals: "equals",
  months: "January February March April May June July August September October November December".split(" "),
  address: {
    dot: "dot",
    slash: "slash",
    at: "at",
    dash: "dash",
    underscore: "underscore",
    colon: "colon",
  },
  of: "",
};

export const LANGUAGE_WORDS: Readonly<Record<NumberLanguage, WordsOf>> = {
  "en-us": { language: "en-us", ...EN },
  "en-gb": { language: "en-gb", ...EN },
  es: {
    language: "es",
    decimalComma: true,
    point: "coma",
    minus: "menos",
    plus: "más",
    and: "y",
    to: "a",
    percent: "por ciento",
    times: "por",
    equals: "igual a",
    months: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre".split(
      " ",
    ),
    address: {
      dot: "punto",
      slash: "barra",
      at: "arroba",
      dash: "guion",
      underscore: "guion bajo",
      colon: "dos puntos",
    },
    of: "de",
  },
  fr: {
    language: "fr",
    decimalComma: true,
    point: "virgule",
    minus: "moins",
    plus: "plus",
    and: "et",
    to: "à",
    percent: "pour cent",
    times: "fois",
    equals: "égale",
    months: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split(" "),
    address: {
      dot: "point",
      slash: "barre oblique",
      at: "arobase",
      dash: "tiret",
      underscore: "tiret bas",
      colon: "deux-points",
    },
    of: "de",
  },
  it: {
    language: "it",
    decimalComma: true,
    point: "virgola",
    minus: "meno",
    plus: "più",
    and: "e",
    to: "a",
    percent: "per cento",
    times: "per",
    equals: "uguale a",
    months:
      "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre".split(
        " ",
      ),
    address: {
      dot: "punto",
      slash: "barra",
      at: "chiocciola",
      dash: "trattino",
      underscore: "trattino basso",
      colon: "due punti",
    },
    of: "di",
  },
  "pt-br": {
    language: "pt-br",
    decimalComma: true,
    point: "vírgula",
    minus: "menos",
    plus: "mais",
    and: "e",
    to: "a",
    percent: "por cento",
    times: "vezes",
    equals: "igual a",
    months: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro".split(
      " ",
    ),
    address: {
      dot: "ponto",
      slash: "barra",
      at: "arroba",
      dash: "hífen",
      underscore: "sublinhado",
      colon: "dois pontos",
    },
    of: "de",
  },
  hi: {
    language: "hi",
    decimalComma: false,
    point: "दशमलव",
    minus: "माइनस",
    plus: "प्लस",
    and: "और",
    to: "से",
    percent: "प्रतिशत",
    times: "गुणा",
    equals: "बराबर",
    months: "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर".split(" "),
    address: {
      dot: "डॉट",
      slash: "स्लैश",
      at: "ऐट",
      dash: "डैश",
      underscore: "अंडरस्कोर",
      colon: "कोलन",
    },
    of: "",
  },
};

export function isEnglish({ language }: WordsOf): boolean {
  return language === "en-us" || language === "en-gb";
}
