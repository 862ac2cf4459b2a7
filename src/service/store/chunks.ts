// Splits lists, such as for statements: SQLite and PostgreSQL limit the number of parameters of one.
const maxParameters = 500;

/** `items` in chunks of at most `length`; by default each fits into one statement. */
export function inChunks<T>(items: readonly T[], length = maxParameters): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, chunk) => items.slice(chunk * length, (chunk + 1) * length));
}
