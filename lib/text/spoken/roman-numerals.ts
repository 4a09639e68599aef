/** Roman numerals in names: "Henry VIII", "World War II", "Chapter IV". English only. */
import type { WordsOf } from "./language-words.ts";
import { cardinal, ordinal } from "./number-words.ts";
import { type Rule, rule } from "./rule.ts";

const ROMAN = "(X{0,3}(?:IX|IV|V?I{0,3}))";
/** Numbered things: "Part II" is part two, "World War I" too. */
const NUMBERED =
  "War|Chapter|Part|Act|Scene|Volume|Vol\\.|Section|Phase|Type|Class|Level|Grade|Stage|Book|Appendix|Article|Title|Bowl|Mark|Tier|Group|Region|Step|Episode|Season|Division|Schedule|Annex";
/** Rulers and popes: "Henry VIII" is Henry the eighth, and here one letter is enough. */
const RULERS =
  "Henry|Louis|Elizabeth|George|Charles|William|Edward|Richard|James|John Paul|Pius|Benedict|Francis|Philip|Peter|Catherine|Napoleon|Mary|Frederick|Alexander|Nicholas|Leo|Gregory|Clement|Innocent|Urban|Ramses|Ramesses|Xerxes|Darius|Wilhelm|Carl|Gustav|Christian|Haakon|Juan Carlos|Felipe|Felix|Alfonso|Ferdinand|Ivan|Cleopatra|Ptolemy|Baldwin|Otto|Leopold|Albert|Umberto|Victor Emmanuel|Thutmose|Amenhotep";

export function romanRules({ language }: WordsOf): Rule[] {
  // "Mary I think": the pronoun, where its verb follows.
  const notPronoun = String.raw`(?!(?<= I)(?: |['’])(?:am|m|ve|ll|have|think|know|want|love|hope|saw|said|met)\b)`;
  const after = String.raw`(?![\p{L}\p{N}]|['’]\p{L}{2})`;
  const counted = (name: string, numeral: string): string | undefined => {
    const value = numeralValue(numeral);
    return value === 0 ? undefined : `${name} ${cardinal(language, String(value))}`;
  };
  return [
    rule(String.raw`\b(${NUMBERED}) ${ROMAN}${after}`, (_, name, numeral) => counted(name!, numeral!)),
    rule(String.raw`\b(${RULERS}) ${ROMAN}${after}${notPronoun}`, (_, name, numeral) => {
      const value = numeralValue(numeral!);
      return value === 0 ? undefined : `${name} the ${ordinal(language, String(value))}`;
    }),
    rule(String.raw`\b(${NUMBERED.toLowerCase()}) (?=[XVI]{2})${ROMAN}${after}`, (_, name, numeral) =>
      counted(name!, numeral!),
    ),
    // "Rocky III": two letters or more after any name.
    rule(String.raw`\b(\p{Lu}\p{Ll}+) (?=[XVI]{2})${ROMAN}${after}`, (_, name, numeral) =>
      counted(name!, numeral!),
    ),
  ];
}

const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10 };

/** 0 for an empty numeral. */
function numeralValue(numeral: string): number {
  const values = Array.from(numeral, (letter) => VALUES[letter]!);
  return values.reduce((sum, value, index) => sum + (value < (values[index + 1] ?? 0) ? -value : value), 0);
}
