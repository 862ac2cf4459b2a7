// A register that is read, written and written by If-Match: the name of one playlist. Every written name is another one.
import type { Model, Operation } from "./linearizability.ts";

export type RegisterInput =
  | { is: "read" }
  | { is: "write"; name: string }
  /** A write with the ETag that the playlist had when it was called `expected`. */
  | { is: "compare-and-set"; expected: string; name: string };

/** The name that was read or written; `mismatched` if the ETag was another one. */
export type RegisterOutput = { is: "done"; name: string } | { is: "mismatched" };

export type RegisterOperation = Operation<RegisterInput, RegisterOutput>;

/** @param initial its name before the history begins. */
export function registerModel(initial: string): Model<string, RegisterInput, RegisterOutput> {
  return { initial, step, keyOf: (state) => state };
}

function step(state: string, input: RegisterInput, output: RegisterOutput | null): string | null {
  switch (input.is) {
    case "read":
      return output === null || (output.is === "done" && output.name === state) ? state : null;
    case "write":
      return output === null || output.is === "done" ? input.name : null;
    case "compare-and-set": {
      const matches = state === input.expected;
      // Without an answer it took effect only if it matched.
      if (output === null) return matches ? input.name : state;
      if (output.is === "mismatched") return matches ? null : state;
      return matches ? input.name : null;
    }
  }
}
