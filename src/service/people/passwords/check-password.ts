// Decides whether a new password is hard enough to guess: its length, and that it is not made of words that a guesser tries first.
import { shortestPassword } from "../../../protocol/operator/sessions.ts";
import { invalidField } from "../../http/problem.ts";

// Parts of common passwords of twelve characters and more, besides digits: NIST SP 800-63B asks to refuse those.
const commonWords = [
  ..."password passwort passw0rd p@ssword p@ssw0rd motdepasse contrasena wachtwoord qwertyuiop qwertzuiop azertyuiop qwerty qwertz".split(
    " ",
  ),
  ..."asdfghjkl zxcvbnm 1q2w3e4r5t6y 1q2w3e4r5t 1qaz2wsx3edc 1qaz2wsx q1w2e3r4 abcdefghijklmnopqrstuvwxyz abcdefghijkl abc123".split(" "),
  ..."iloveyou letmein welcome administrator admin changeme sunshine princess football baseball superman batman monkey dragon".split(" "),
  ..."master trustno1 whatever starwars computer internet secret default login signage player screen digital".split(" "),
];
// Of a password that contains such words at least this much must be something else.
const shortestRest = 6;
const shortestOwnWord = 3;
const fewestCharacters = 5;

/** @param password as typed @throws ProblemError 422 that names the fault. */
export function checkNewPassword(password: string, { name, email }: { name: string; email: string }): void {
  const fault = findPasswordFault(password, { name, email });
  if (fault !== null) throw invalidField("/password", fault);
}

/** The fault of a new password; null: none. There are no rules for kinds of characters: they make passwords no harder to guess. */
export function findPasswordFault(password: string, { name, email }: { name: string; email: string }): string | null {
  const characters = Array.from(password.normalize("NFC"));
  if (characters.length < shortestPassword) return `must have at least ${shortestPassword} characters: several words are easy to remember`;
  if (!password.isWellFormed()) return "contains half a character";
  const folded = fold(password);
  if (new Set(folded).size < fewestCharacters) return `must have at least ${fewestCharacters} different characters`;
  if (isSequence(folded)) return "must not be a sequence of digits or letters";
  if (restWithout(folded, wordsOf(name, email)) < shortestRest) return "must not be made of your name or email";
  if (restWithout(folded, commonWords) < shortestRest) return "is used by many people: choose one that nobody else has";
  return null;
}

/** How many characters are left when all `words` are cut out. Digits and signs are guessed together with a word: they count less. */
function restWithout(password: string, words: readonly string[]): number {
  const longestFirst = words.toSorted((a, b) => b.length - a.length);
  const rest = longestFirst.reduce((text, word) => text.replaceAll(word, "\0"), password);
  if (rest === password) return password.length;
  const letters = rest.replaceAll(/[\0\d\s!-/:-@[-`{-~]/g, "").length;
  return letters + rest.replaceAll(/\D/g, "").length / 2;
}

function wordsOf(name: string, email: string): string[] {
  const words = fold(`${name} ${email}`).split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words)].filter((word) => Array.from(word).length >= shortestOwnWord);
}

/** True if each character follows the one before, up or down, such as 123456789012. */
function isSequence(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0)!);
  const steps = codes.slice(1).map((code, place) => code - codes[place]!);
  // A sequence of digits goes on with 0 after 9.
  return [1, -1].some((step) => steps.every((each) => each === step || each === step * -9));
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
