// One figure of the two nodes beside that of the single node on SQLite. Pure.

/** What is compared. */
export interface Figure {
  name: string;
  /** True: more is better, as of a rate. */
  isRate: boolean;
}

/**
 * p50 and p99 of both, and what the nodes have for each one of SQLite. p99 is the slow end: of a rate the lowest hundredth.
 * @throws Error when one of them has no value.
 */
export function compared(
  { name, isRate }: Figure,
  sqlite: readonly number[],
  nodes: readonly number[],
): Record<string, number | string | null> {
  const [ofSqlite, ofNodes] = [sqlite, nodes].map((values) => {
    if (values.length === 0) throw new Error(`no value of: ${name}`);
    return { p50: quantile(values, 0.5), p99: quantile(values, isRate ? 0.01 : 0.99) };
  }) as [Ends, Ends];
  return {
    figure: name,
    n: nodes.length,
    sqlite_p50: rounded(ofSqlite.p50),
    sqlite_p99: rounded(ofSqlite.p99),
    nodes_p50: rounded(ofNodes.p50),
    nodes_p99: rounded(ofNodes.p99),
    ratio_p50: ratio(ofNodes.p50, ofSqlite.p50),
    ratio_p99: ratio(ofNodes.p99, ofSqlite.p99),
  };
}

interface Ends {
  p50: number;
  p99: number;
}

/** The value below which a share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

/** Null where it means nothing: a time may be 0 or below, if the socket was faster than the answer. */
function ratio(nodes: number, sqlite: number): number | null {
  return sqlite > 0 && nodes > 0 ? Math.round((100 * nodes) / sqlite) / 100 : null;
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
