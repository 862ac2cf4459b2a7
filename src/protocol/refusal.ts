// Says why an input is refused, in few words however much is wrong with it: for answers, errors of programs, and logs.

/** The most errors that one answer lists. */
export const mostErrors = 100;

/** The error of a refused input, as zod gives it. */
interface Refusal {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}

/** The most errors that one line of text names: nobody reads more. */
export const mostInLine = 10;

// Some faults name all values that are allowed.
const longestFault = 2_300;
const longestChars = 300;

/** The first fault of a refused input, with the path of its field: `data.epoch: Invalid input: expected string, received null`. */
export function describeRefusal({ issues }: Refusal): string {
  return describeIssue(issues[0] ?? { path: [], message: "not valid" });
}

/** The faults of a refused input in one line, as {@link listFaults} writes them. */
export function describeRefusals({ issues }: Refusal): string {
  return listFaults(issues.slice(0, mostInLine).map(describeIssue), Math.max(0, issues.length - mostInLine));
}

/**
 * Faults in one line, the first ten of them: `a; b; and 17 more`.
 * @param more how many there are beside those in `faults`.
 */
export function listFaults(faults: readonly string[], more = 0): string {
  const lines = faults.slice(0, mostInLine).map((fault) => cutEnd(fault, longestFault));
  const rest = more + faults.length - lines.length;
  return [...lines, ...(rest === 0 ? [] : [`and ${rest.toLocaleString("en")} more`])].join("; ");
}

/** `text` with at most `most` characters. The sender's part of it may have a megabyte. */
export function cutEnd(text: string, most: number): string {
  // The cut must not split a surrogate pair.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function describeIssue({ path, message }: Refusal["issues"][number]): string {
  return cutEnd(path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`, longestChars);
}
