// One fault that `npm run mutate` plants.

/** A fault: `find` occurs exactly once in `file` and is replaced by `replace`. */
export interface Fault {
  /** From the repository's root. */
  file: string;
  find: string;
  replace: string;
  /** The rule whose tests should find the fault: they run first, alone. Without it, the tests nearest to the file run first. */
  rule?: string;
}

/** The faults of one file, each as the text to find, its replacement, and perhaps the rule that it breaks. */
export function faultsIn(file: string, replacements: readonly (readonly [find: string, replace: string, rule?: string])[]): Fault[] {
  return replacements.map(([find, replace, rule]) => ({ file, find, replace, ...(rule === undefined ? {} : { rule }) }));
}

/** @throws Error when a fault does not fit the code: its text must occur exactly once. `read` returns a file's text. */
export function checkFaults(faults: readonly Fault[], read: (file: string) => string): void {
  for (const { file, find, replace } of faults) {
    const occurrences = read(file).split(find).length - 1;
    if (occurrences !== 1) throw new Error(`scripts/mutate: this text occurs ${occurrences} times in ${file}, not once:\n${find}`);
    if (find === replace) throw new Error(`scripts/mutate: this fault in ${file} changes nothing:\n${find}`);
  }
}
