// Reads pairing codes as people type and paste them.
import { pairingCodeAlphabet } from "../../../../src/protocol/pairing-code.ts";

const codeLength = 8;
const group = `[${pairingCodeAlphabet}]{4}`;
// A whole code somewhere in a text, such as an address or a sentence.
const codeInText = new RegExp(`(?<![A-Z0-9])(${group})[\\s\\-–—_.]*(${group})(?![A-Z0-9])`);

/** The letters of a code in a typed or pasted text: without spaces, dashes and lower case. */
export function codeLetters(input: string): string {
  const upper = input.toUpperCase();
  const whole = codeInText.exec(upper);
  if (whole !== null) return `${whole[1]}${whole[2]}`;
  return upper.replaceAll(/[^A-Z0-9]/g, "").slice(0, codeLength);
}

/** A code as screens show it, also while it is incomplete. */
export function formatCode(letters: string): string {
  return letters.length > 4 ? `${letters.slice(0, 4)}-${letters.slice(4)}` : letters;
}

/** Tells if the letters are a whole code, and the first letter that no code has. */
export function examineCode(letters: string): { isComplete: boolean; wrong: string | null } {
  const wrong = letters.split("").find((letter) => !pairingCodeAlphabet.includes(letter)) ?? null;
  return { isComplete: letters.length === codeLength && wrong === null, wrong };
}
