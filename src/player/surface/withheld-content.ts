// Content that is kept off the screen because showing it made the browser fail.

/** Wall times in ms. */
export interface WithheldContent {
  /** False while the content is shown again on trial. */
  isNow: boolean;
  /** True if the browser failed again while the content was withheld, perhaps because of the safe picture. */
  hasFailed: boolean;
  fault: string;
  /** How often the browser failed within five minutes. */
  failures: number;
  /** When the content was first withheld, before any trials. */
  since: number;
  until: number;
}

/** Why content is withheld and until when, for people. */
export function describeWithheld({ isNow, fault, failures, until }: WithheldContent): string {
  const end = new Date(until).toISOString();
  const retry = isNow ? `it is tried again at ${end}` : `withheld until ${end}, on trial now`;
  return `the browser failed ${timesInWords(failures)} within five minutes (${fault}); ${retry}`;
}

/** A count such as `once` or `3 times`. */
export function timesInWords(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
