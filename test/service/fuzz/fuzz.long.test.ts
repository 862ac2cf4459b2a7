// The contract fuzzer with many requests, by another seed each time.
import { test } from "vitest";
import { fuzzDescription } from "./fuzz-description.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env["FUZZ_RUNS"] ?? 3_000);

test("[FUZ1] no request causes an internal error, and every response matches the description, also with many requests", () =>
  fuzzDescription(seed, runs));
