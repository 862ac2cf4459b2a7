// The checker of linearizability: histories that are possible, planted violations, and random ones compared with trying every order.
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkLinearizability } from "../../scripts/scale/consistency/linearizability.ts";
import {
  registerModel,
  type RegisterInput,
  type RegisterOperation,
  type RegisterOutput,
} from "../../scripts/scale/consistency/register.ts";

const model = registerModel("a");
const isPossible = (history: readonly RegisterOperation[]): boolean => checkLinearizability(history, model).isLinearizable;

function operation(calledAt: number, returnedAt: number, input: RegisterInput, output: RegisterOutput | null): RegisterOperation {
  return { calledAt, returnedAt, input, output };
}
const read = (calledAt: number, returnedAt: number, name: string) => operation(calledAt, returnedAt, { is: "read" }, { is: "done", name });
const write = (calledAt: number, returnedAt: number, name: string) =>
  operation(calledAt, returnedAt, { is: "write", name }, { is: "done", name });
const set = (calledAt: number, returnedAt: number, expected: string, name: string, output: "done" | "mismatched" | "unknown") =>
  operation(
    calledAt,
    returnedAt,
    { is: "compare-and-set", expected, name },
    output === "unknown" ? null : output === "done" ? { is: "done", name } : { is: "mismatched" },
  );

test("[SCL1] the checker of linearizability accepts a history in which every operation took effect between its call and its return", () => {
  expect(isPossible([])).toBe(true);
  // The reads overlap the write: one sees it, the other not yet.
  expect(isPossible([write(0, 10, "b"), read(1, 9, "b"), read(2, 3, "a")])).toBe(true);
  expect(isPossible([set(0, 5, "a", "b", "done"), set(0, 6, "a", "c", "mismatched"), read(7, 8, "b")])).toBe(true);
  // The second write came first.
  expect(isPossible([write(0, 10, "b"), write(0, 10, "c"), read(11, 12, "b")])).toBe(true);
});

test("[SCL2] the checker finds a lost update, a stale read, a write from the past, and two matches of which only one can be", () => {
  const lostUpdate = [set(0, 1, "a", "b", "done"), read(2, 3, "a")];
  const staleRead = [write(0, 1, "b"), read(2, 3, "b"), write(4, 5, "c"), read(6, 7, "b")];
  const fromThePast = [write(0, 1, "b"), write(2, 3, "c"), read(4, 5, "c"), read(6, 7, "b")];
  const bothMatched = [set(0, 5, "a", "b", "done"), set(1, 6, "a", "c", "done")];
  const goesBack = [write(0, 10, "b"), read(1, 2, "b"), read(3, 4, "a")];
  const neverWritten = [read(0, 1, "z")];
  const wronglyRefused = [set(0, 1, "a", "b", "mismatched"), read(2, 3, "a")];
  for (const history of [lostUpdate, staleRead, fromThePast, bothMatched, goesBack, neverWritten, wronglyRefused])
    expect([history, isPossible(history)]).toEqual([history, false]);
  expect(checkLinearizability(staleRead, model).longest).toHaveLength(3);
});

test("[SCL3] for the checker an operation without an answer may have taken effect at any later time or never, but not twice", () => {
  const sent = set(0, 1, "a", "b", "unknown");
  expect(isPossible([sent, read(2, 3, "a"), read(4, 5, "a")])).toBe(true);
  expect(isPossible([sent, read(2, 3, "a"), read(4, 5, "b")])).toBe(true);
  expect(isPossible([sent, write(2, 3, "c"), read(4, 5, "b")])).toBe(false);
  expect(isPossible([read(0, 1, "b"), set(2, 3, "a", "b", "unknown")])).toBe(false);
  const once = [operation(0, 1, { is: "write", name: "b" }, null), read(2, 3, "b"), write(4, 5, "c"), read(6, 7, "c"), read(8, 9, "b")];
  expect(isPossible(once)).toBe(false);
});

const names = ["a", "b", "c", "d"] as const;
const anyOperation = fc
  .tuple(
    fc.nat(12),
    fc.integer({ min: 1, max: 6 }),
    fc.constantFrom("read", "write", "compare-and-set"),
    fc.constantFrom(...names),
    fc.constantFrom(...names),
    fc.nat(3),
  )
  .map(([calledAt, takes, is, name, expected, kind]): RegisterOperation => {
    const input: RegisterInput = is === "read" ? { is } : is === "write" ? { is, name } : { is, name, expected };
    const output: RegisterOutput | null =
      kind === 0 ? null : is === "compare-and-set" && kind === 1 ? { is: "mismatched" } : { is: "done", name };
    return operation(calledAt, calledAt + takes, input, output);
  });

test("[SCL4] the checker agrees with trying every order, on random histories", () => {
  let possible = 0;
  fc.assert(
    fc.property(fc.array(anyOperation, { maxLength: 6 }), (history) => {
      const expected = someOrderIsPossible(history, "a");
      possible += Number(expected);
      expect(isPossible(history)).toBe(expected);
    }),
    { numRuns: 3_000, seed: 15 },
  );
  // Both verdicts occurred often.
  expect(possible).toBeGreaterThan(300);
  expect(possible).toBeLessThan(2_700);
});

/** Tries every order: an operation may be next if no other one that is left had returned before it was called. */
function someOrderIsPossible(left: readonly RegisterOperation[], state: string): boolean {
  if (left.every(({ output }) => output === null)) return true;
  return left.some((next) => {
    const rest = left.filter((each) => each !== next);
    if (rest.some(({ output, returnedAt }) => output !== null && returnedAt < next.calledAt)) return false;
    const after = model.step(state, next.input, next.output);
    return after !== null && someOrderIsPossible(rest, after);
  });
}

test("[SCL5] a history of a thousand operations by eight clients is judged: a possible one accepted, an impossible one refused", () => {
  const history: RegisterOperation[] = [];
  let state = "a";
  for (let place = 0; place < 1_000; place += 1) {
    const calledAt = place * 10 - (place % 8) * 9;
    const isUnknown = place % 50 === 7;
    const next = `n${place}`;
    // An unanswered one that never took effect stays possible until the end.
    if (isUnknown) history.push(set(calledAt, calledAt + 1, state, next, "unknown"));
    else if (place % 3 === 0) history.push(read(calledAt, place * 10 + 1, state));
    else {
      history.push(set(calledAt, place * 10 + 1, state, next, "done"));
      state = next;
    }
  }
  expect(isPossible(history)).toBe(true);
  expect(isPossible([...history, read(20_000, 20_001, "n1")])).toBe(false);
});
