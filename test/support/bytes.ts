// A set-up file of all tests: compares buffers by Buffer.equals. Vitest compares them element by element, about a second for a megabyte.
import { expect } from "vitest";

expect.addEqualityTesters([(one, other) => (Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : undefined)]);
