// 100,000 damaged messages, states and stored files. MALFORMED_SEED changes them.
import { test } from "vitest";
import { publishStates, sendMessages, startWithDamagedFiles } from "../player/malformed/campaigns.ts";

const seed = Number(process.env["MALFORMED_SEED"] ?? 2);
const limitMs = 3_600_000;

test("[MAL1] 92,000 damaged messages neither end the player nor change its screen", () => sendMessages(92_000, seed), limitMs);

test("[MAL2] 6,000 damaged states are not shown, and a valid one after each is", () => publishStates(6_000, seed), limitMs);

test(
  "[MAL3] with any stored file damaged the player starts 2,000 times, and shows its content",
  () => startWithDamagedFiles(2_000, seed),
  limitMs,
);
