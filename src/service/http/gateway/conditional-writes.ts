// Runs conditional writes (If-Match) to the same row one after the other; writes to different rows do not wait for each other.
import { ProblemError } from "../problem.ts";

export class RowQueue {
  readonly #lastByRow = new Map<string, Promise<void>>();

  /** Runs `task` when all earlier tasks for the row have ended, whether they succeeded or failed. */
  run<T>(row: string, task: () => Promise<T>): Promise<T> {
    const turn = (this.#lastByRow.get(row) ?? Promise.resolve()).then(task);
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#lastByRow.set(row, ended);
    void ended.then(() => {
      if (this.#lastByRow.get(row) === ended) this.#lastByRow.delete(row);
    });
    return turn;
  }
}

/** @throws ProblemError 412 unless an If-Match header names the current ETag. */
export function checkIfMatch(header: string | undefined, etag: string): void {
  if (header === undefined || header.trim() === "*") return;
  if (header.split(",").some((tag) => tag.trim() === etag)) return;
  throw new ProblemError("precondition-failed", `The current version is ${etag}: read it again and apply your change to it`, {
    headers: { ETag: etag },
  });
}
