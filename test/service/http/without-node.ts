// Metrics as a service of one process writes them.

/** Metrics without their label `node`, which all values of a service on PostgreSQL have. */
export function withoutNode(text: string): string {
  return text
    .replaceAll(/,?node="[^"]*"/g, "")
    .replaceAll("{,", "{")
    .replaceAll("{}", "");
}
