// The language and the writing direction of the console. A pseudo-locale shows which texts are not translatable.
import type { Translation } from "./catalogue.ts";

const pseudoLetters: Readonly<Record<string, string>> = {
  a: "á",
  b: "ƀ",
  c: "ç",
  d: "ð",
  e: "é",
  f: "ƒ",
  g: "ĝ",
  h: "ĥ",
  i: "í",
  j: "ĵ",
  k: "ķ",
  l: "ļ",
  m: "ɱ",
  n: "ñ",
  o: "ó",
  p: "þ",
  q: "ʠ",
  r: "ŕ",
  s: "š",
  t: "ţ",
  u: "ú",
  v: "ṽ",
  w: "ŵ",
  x: "ẋ",
  y: "ý",
  z: "ž",
  A: "Á",
  B: "Ɓ",
  C: "Ç",
  D: "Ð",
  E: "É",
  F: "Ƒ",
  G: "Ĝ",
  H: "Ĥ",
  I: "Í",
  J: "Ĵ",
  K: "Ķ",
  L: "Ļ",
  M: "Ṁ",
  N: "Ñ",
  O: "Ó",
  P: "Þ",
  Q: "Ǫ",
  R: "Ŕ",
  S: "Š",
  T: "Ţ",
  U: "Û",
  V: "Ṽ",
  W: "Ŵ",
  X: "Ẋ",
  Y: "Ý",
  Z: "Ž",
};

/** The name of the pseudo-locale: `?locale=pseudo`, kept for the visit. It is longer than English and written from right to left. */
const pseudo = "pseudo";
const parameter = new URLSearchParams(location.search).get("locale");
if (parameter !== null) sessionStorage.setItem("locale", parameter);

/** True if the pseudo-locale is shown. */
export const isPseudo = sessionStorage.getItem("locale") === pseudo;

const translations = import.meta.glob<Translation>(["./*.json", "!./en.json"], { import: "default" });
const { language } = navigator;
/** Loads the messages of the reader's language: of `de-AT.json` or else `de.json` for `de-AT`. Undefined for English. */
export const loadTranslation = isPseudo
  ? undefined
  : (translations[`./${language}.json`] ?? translations[`./${language.split("-")[0]}.json`]);
/** The locale for messages, numbers and times, BCP 47. */
export const locale = !isPseudo && (loadTranslation !== undefined || language.startsWith("en")) ? language : "en";

/** Sets the language and direction of the page. */
export function applyLocale(): void {
  document.documentElement.lang = locale;
  document.documentElement.dir = isPseudo ? "rtl" : "ltr";
}

/** A text with accents on its letters and in brackets, half as long again: a text that stays plain is not in the catalogue. */
export function pseudoText(text: string): string {
  // A text within a text, such as a time in a sentence, has brackets already: one pair is enough.
  const accents = text.replaceAll(/[⟦⟧]/g, "").replaceAll(/[a-z]/gi, (letter) => pseudoLetters[letter]!);
  return `⟦${accents}${"·".repeat(Math.ceil(text.length / 3))}⟧`;
}
