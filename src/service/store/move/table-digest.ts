// Counts rows and digests them so that the order does not matter: two tables with equal results have the same rows.
import { createHash } from "node:crypto";

/** A row's values in the order of its table's columns. */
export type Values = readonly (string | number | null)[];

/** The number and the digest of the rows that {@link TableDigest} has got. */
export interface TableSummary {
  rows: number;
  /** Hexadecimal. */
  digest: string;
}

const bits = 128;

/** The sum of the rows' hashes. An exclusive or would not notice a row that is there twice. */
export class TableDigest {
  #rows = 0;
  #sum = 0n;

  add(values: Values): void {
    this.#rows += 1;
    const hash = createHash("sha256").update(JSON.stringify(values)).digest("hex");
    this.#sum = BigInt.asUintN(bits, this.#sum + BigInt(`0x${hash.slice(0, bits / 4)}`));
  }

  summary(): TableSummary {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(bits / 4, "0") };
  }
}
