// Finds texts by some of their letters, in order. Pure.

/** How well `text` fits `query`; null: not at all. Letters in a row, and at the beginning of words, count more. */
export function fitOf(query: string, text: string): number | null {
  const queryWords = plain(query).split(/\s+/).filter(Boolean);
  const plainText = plain(text);
  let fit = 0;
  for (const word of queryWords) {
    const one = fitOfWord(word, plainText);
    if (one === null) return null;
    fit += one;
  }
  // Of two texts that fit equally well, the shorter one is meant.
  return fit - plainText.length / 1_000;
}

function fitOfWord(word: string, text: string): number | null {
  const at = text.indexOf(word);
  if (at >= 0) {
    const isStart = at === 0 || !isLetter(text[at - 1]!);
    return word.length * 3 + (isStart ? 10 : 4) + (at === 0 ? 3 : 0);
  }
  let fit = 0;
  let from = 0;
  let previous = -2;
  for (const letter of word) {
    const letterIndex = text.indexOf(letter, from);
    if (letterIndex < 0) return null;
    const isStart = letterIndex === 0 || !isLetter(text[letterIndex - 1]!);
    fit += letterIndex === previous + 1 ? 2 : isStart ? 1.5 : 0.2;
    previous = letterIndex;
    from = letterIndex + letter.length;
  }
  // Letters that are scattered over a text are a coincidence.
  return fit >= word.length ? fit : null;
}

/** How well the beginnings of words in `text` fit `query`; null: not at all. Less than any fit of a title. */
export function fitOfWords(query: string, text: string): number | null {
  const words = plain(text).split(/[^\p{L}\p{N}]+/u);
  return plain(query)
    .split(/\s+/)
    .every((word) => words.some((each) => each.startsWith(word)))
    ? 0
    : null;
}

const isLetter = (letter: string): boolean => /[\p{L}\p{N}]/u.test(letter);

/** Without capitals and accents. */
function plain(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
