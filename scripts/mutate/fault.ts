// One fault that `npm run mutate` plants.

/** A fault: `find` occurs exactly once in `file` and is replaced by `replace`. */
export interface Fault {
  /** From the repository's root. */
  file: string;
  find: string;
  replace: string;
}

/** The faults of one file, each as the text to find and its replacement. */
export function faultsIn(file: string, replacements: readonly (readonly [find: string, replace: string])[]): Fault[] {
  return replacements.map(([find, replace]) => ({ file, find, replace }));
}
