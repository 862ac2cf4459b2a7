// Splits lists for statements. SQLite and PostgreSQL limit the number of parameters of a statement.
const maxParameters = 500;

/** `items` in chunks that each fit into one statement. */
export function inChunks<T>(items: readonly T[], length = maxParameters): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, chunk) => items.slice(chunk * length, (chunk + 1) * length));
}
