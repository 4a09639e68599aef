/** Web and mail addresses, file paths, file names and dotted identifiers, as a person reads them out. */
import type { WordsOf } from "./language-words.ts";
import { LEFT, type Rule, rule } from "./rule.ts";

/** Ends of names that are host names also without `www.` or a path. */
const DOMAINS =
  "com|org|net|edu|gov|io|ai|dev|app|co|me|info|biz|tv|uk|us|ca|au|de|fr|es|it|pt|br|in|jp|cn|eu|ch|nl|example|test";
/** File extensions: "main.rs" is a file, "one.Two" is not. */
const EXTENSIONS =
  "js|ts|jsx|tsx|mjs|py|rs|go|rb|php|java|kt|swift|cpp|hpp|cs|sh|sql|html|css|json|yaml|yml|toml|xml|csv|md|txt|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp3|mp4|wav|zip|gz|tar|exe|dll|log|env|lock|conf|ini|cfg|NET";
const HOST = String.raw`(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+`;
/** Path, query and fragment; closing marks at the end belong to the sentence. */
const TAIL = String.raw`(?:[/?#][^\s<>"“”]*[^\s<>"“”.,;:!?)\]}'’])?`;

export function addressRules(words: WordsOf): Rule[] {
  const said = (address: string): string => addressInWords(words, address);
  return [
    rule(
      String.raw`(?<![\p{L}\p{N}])(?:mailto:)?([\p{L}\p{N}._%+-]+)@(${HOST}\p{L}{2,})`,
      (_, name, host) => `${said(name!)} ${words.address.at} ${said(host!)}`,
    ),
    rule(
      String.raw`(?<![\p{L}\p{N}])[a-z]{2,6}://(?:www\.)?([^\s<>"“”/]*[^\s<>"“”.,;:!?)\]}'’/]${TAIL})/?`,
      (_, address) => said(address!),
      "giu",
    ),
    rule(
      String.raw`(?<![\p{L}\p{N}@])www\.(${HOST}\p{L}{2,}(?::\d+)?${TAIL})/?`,
      (_, address) => said(address!),
      "giu",
    ),
    rule(
      String.raw`(?<![\p{L}\p{N}@./])(${HOST}(?:${DOMAINS})(?::\d{2,5})?${TAIL})/?(?![\p{L}\p{N}_@]|\.\p{L})`,
      (_, address) => said(address!),
    ),
    // Paths: from a root, a home, a drive, a dot, or with an extension at the end.
    rule(
      String.raw`(?<![\p{L}\p{N}/.~<])((?:~|\.{1,2})?(?:/[\p{L}\p{N}_.@-]*[\p{L}\p{N}_-])+)/?(?![\p{L}\p{N}])`,
      (path) => (/\p{L}/u.test(path!) ? said(path!) : undefined),
    ),
    rule(String.raw`(?<![\p{L}\p{N}])([A-Z]):\\([\p{L}\p{N}_.\\-]*[\p{L}\p{N}_-])`, (_, drive, path) =>
      said(`${drive}:/${path!.replaceAll("\\", "/")}`),
    ),
    rule(
      String.raw`${LEFT}((?:[\p{L}\p{N}_-]+/)+[\p{L}\p{N}_.-]+\.(?:${EXTENSIONS}))(?![\p{L}\p{N}_])`,
      (path) => said(path!),
    ),
    rule(
      String.raw`(?<![\p{L}\p{N}_])(\.?[\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+)*\.(?:${EXTENSIONS}))(?![\p{L}\p{N}_]|\.\p{L})`,
      (name) => said(name!),
    ),
    // os.path.join, System.Text.Json: parts of two letters or more, so that "p.m." is none.
    rule(
      String.raw`${LEFT}(\p{L}[\p{L}\p{N}_]+(?:\.\p{L}[\p{L}\p{N}_]+){2,}|\p{Ll}[\p{Ll}\p{N}_]+\.\p{Ll}[\p{L}\p{N}_]+(?=\())(?![\p{L}\p{N}_])`,
      (name) => said(name!),
    ),
  ];
}

function addressInWords({ address: signs, and, equals, percent, plus }: WordsOf, address: string): string {
  const named: Readonly<Record<string, string>> = {
    ".": signs.dot,
    "/": signs.slash,
    "-": signs.dash,
    _: signs.underscore,
    ":": signs.colon,
    "@": signs.at,
    "&": and,
    "=": equals,
    "+": plus,
    "%": percent,
    "?": "question mark",
    "#": "hash",
    "~": "tilde",
  };
  return address
    .replace(/\bNET\b/g, "net")
    .replace(/:\//g, ` ${signs.colon} ${signs.slash} `)
    .replace(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu, " ")
    .replace(/[^\p{L}\p{M}\p{N}\s]/gu, (sign) => (named[sign] === undefined ? " " : ` ${named[sign]} `))
    .replace(/\s+/g, " ")
    .trim();
}
