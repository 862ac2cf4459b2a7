// A set-up file of all tests: compares bytes as bytes. Vitest compares two buffers number by number, which takes a second for a megabyte.
import { expect } from "vitest";

expect.addEqualityTesters([(one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined)]);
