/** Names of the main currencies and of their hundredths, by language. Data for money.ts. */
import type { NumberLanguage } from "./language-words.ts";

export interface CurrencyNames {
  readonly one: string;
  readonly many: string;
  /** A hundredth; absent where there is none in use. */
  readonly cent?: readonly [one: string, many: string];
  readonly isFeminine?: boolean;
}

/** Signs and codes to the currency they mean. Longer signs first: `R$` is no dollar. */
export const CURRENCY_SIGNS: readonly (readonly [sign: string, code: string])[] = [
  ["US$", "USD"],
  ["CA$", "CAD"],
  ["C$", "CAD"],
  ["AU$", "AUD"],
  ["A$", "AUD"],
  ["R$", "BRL"],
  ["$", "USD"],
  ["€", "EUR"],
  ["£", "GBP"],
  ["¥", "JPY"],
  ["₹", "INR"],
  ["₩", "KRW"],
  ["₽", "RUB"],
];
export const CURRENCY_CODES: readonly string[] = "USD EUR GBP JPY INR BRL CAD AUD CHF KRW RUB MXN CNY".split(
  " ",
);

type Names = Readonly<Record<string, CurrencyNames>>;

const plain = (one: string, many: string, cent?: readonly [string, string], isFeminine = false) => ({
  one,
  many,
  ...(cent && { cent }),
  isFeminine,
});

const EN: Names = {
  USD: plain("dollar", "dollars", ["cent", "cents"]),
  CAD: plain("Canadian dollar", "Canadian dollars", ["cent", "cents"]),
  AUD: plain("Australian dollar", "Australian dollars", ["cent", "cents"]),
  EUR: plain("euro", "euros", ["cent", "cents"]),
  GBP: plain("pound", "pounds", ["penny", "pence"]),
  JPY: plain("yen", "yen"),
  INR: plain("rupee", "rupees", ["paisa", "paise"]),
  BRL: plain("real", "reais", ["centavo", "centavos"]),
  CHF: plain("Swiss franc", "Swiss francs", ["centime", "centimes"]),
  KRW: plain("won", "won"),
  RUB: plain("ruble", "rubles", ["kopeck", "kopecks"]),
  MXN: plain("peso", "pesos", ["centavo", "centavos"]),
  CNY: plain("yuan", "yuan"),
};
const DOLLAR_CENTAVO = ["centavo", "centavos"] as const;

export const CURRENCIES: Readonly<Record<NumberLanguage, Names>> = {
  "en-us": EN,
  "en-gb": EN,
  es: {
    USD: plain("dólar", "dólares", DOLLAR_CENTAVO),
    CAD: plain("dólar canadiense", "dólares canadienses", DOLLAR_CENTAVO),
    AUD: plain("dólar australiano", "dólares australianos", DOLLAR_CENTAVO),
    EUR: plain("euro", "euros", ["céntimo", "céntimos"]),
    GBP: plain("libra", "libras", ["penique", "peniques"], true),
    JPY: plain("yen", "yenes"),
    INR: plain("rupia", "rupias", ["paisa", "paisas"], true),
    BRL: plain("real", "reales", DOLLAR_CENTAVO),
    CHF: plain("franco suizo", "francos suizos", ["céntimo", "céntimos"]),
    MXN: plain("peso", "pesos", DOLLAR_CENTAVO),
    CNY: plain("yuan", "yuanes"),
  },
  fr: {
    USD: plain("dollar", "dollars", ["cent", "cents"]),
    CAD: plain("dollar canadien", "dollars canadiens", ["cent", "cents"]),
    AUD: plain("dollar australien", "dollars australiens", ["cent", "cents"]),
    EUR: plain("euro", "euros", ["centime", "centimes"]),
    GBP: plain("livre", "livres", ["penny", "pence"], true),
    JPY: plain("yen", "yens"),
    INR: plain("roupie", "roupies", ["paisa", "paisas"], true),
    BRL: plain("réal", "réals", ["centavo", "centavos"]),
    CHF: plain("franc suisse", "francs suisses", ["centime", "centimes"]),
    CNY: plain("yuan", "yuans"),
  },
  it: {
    USD: plain("dollaro", "dollari", ["centesimo", "centesimi"]),
    CAD: plain("dollaro canadese", "dollari canadesi", ["centesimo", "centesimi"]),
    AUD: plain("dollaro australiano", "dollari australiani", ["centesimo", "centesimi"]),
    EUR: plain("euro", "euro", ["centesimo", "centesimi"]),
    GBP: plain("sterlina", "sterline", ["penny", "pence"], true),
    JPY: plain("yen", "yen"),
    INR: plain("rupia", "rupie", ["paisa", "paise"], true),
    BRL: plain("real", "real", ["centavo", "centavos"]),
    CHF: plain("franco svizzero", "franchi svizzeri", ["centesimo", "centesimi"]),
    CNY: plain("yuan", "yuan"),
  },
  "pt-br": {
    USD: plain("dólar", "dólares", DOLLAR_CENTAVO),
    CAD: plain("dólar canadense", "dólares canadenses", DOLLAR_CENTAVO),
    AUD: plain("dólar australiano", "dólares australianos", DOLLAR_CENTAVO),
    EUR: plain("euro", "euros", DOLLAR_CENTAVO),
    GBP: plain("libra", "libras", ["penny", "pence"], true),
    JPY: plain("iene", "ienes"),
    INR: plain("rupia", "rupias", ["paisa", "paisas"], true),
    BRL: plain("real", "reais", DOLLAR_CENTAVO),
    CHF: plain("franco suíço", "francos suíços", ["cêntimo", "cêntimos"]),
    CNY: plain("yuan", "yuans"),
  },
  hi: {
    USD: plain("डॉलर", "डॉलर", ["सेंट", "सेंट"]),
    EUR: plain("यूरो", "यूरो", ["सेंट", "सेंट"]),
    GBP: plain("पाउंड", "पाउंड", ["पेंस", "पेंस"]),
    JPY: plain("येन", "येन"),
    INR: plain("रुपया", "रुपये", ["पैसा", "पैसे"]),
    BRL: plain("रियल", "रियल"),
    CNY: plain("युआन", "युआन"),
  },
};
