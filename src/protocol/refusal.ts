// Says in one line why a schema refuses an input, for logs.

/** The error of a refused input, as zod gives it. */
interface Refusal {
  issues: readonly { path: readonly PropertyKey[]; message: string }[];
}

const longestChars = 300;

/** The first fault of a refused input, with the path of its field: `data.epoch: Invalid input: expected string, received null`. */
export function describeRefusal({ issues }: Refusal): string {
  const [first] = issues;
  if (first === undefined) return "not valid";
  const text = first.path.length === 0 ? first.message : `${first.path.map(String).join(".")}: ${first.message}`;
  return text.slice(0, longestChars);
}
