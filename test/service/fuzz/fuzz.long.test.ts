// The contract fuzzer with many requests, by another seed each time.
import { test } from "vitest";
import { fuzzDescription } from "./fuzz-description.ts";
import { sendLargeInputs } from "./send-large-inputs.ts";

const seed = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const runs = Number(process.env["FUZZ_RUNS"] ?? 3_000);

test("[FUZ1] no request causes an internal error, and every response matches the description, also with many requests", () =>
  fuzzDescription(seed, runs));

test("[FUZ6] no large input of any kind, sent to every operation, causes an internal error, and every refusal is small", () =>
  sendLargeInputs(Number.POSITIVE_INFINITY));
