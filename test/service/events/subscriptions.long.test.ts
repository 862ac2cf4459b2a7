// A subscriber that is disconnected many times.
import { test } from "vitest";
import { disconnectUnderLoad } from "./disconnect-under-load.ts";

test("[SUB3] a subscriber that is disconnected at 500 random moments under load misses and repeats no event", () =>
  disconnectUnderLoad(500));
