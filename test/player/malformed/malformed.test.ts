// A short run of the campaigns; the long one is test/long/malformed.test.ts.
import { test } from "vitest";
import { checkRefusals, publishStates, sendMessages, sendPageMessages, startWithDamagedFiles } from "./campaigns.ts";

const seed = Number(process.env["MALFORMED_SEED"] ?? 1);

test("[MAL1] thousands of damaged messages neither end the player nor change its screen", () => sendMessages(3_000, seed));

test("[MAL2] a damaged state is not shown, and a valid one after it is", () => publishStates(30, seed));

test("[MAL3] with any stored file damaged the player starts, and shows its content or says that it prepares it", () =>
  startWithDamagedFiles(40, seed));

test("[MAL4] damaged messages of the page neither end the player nor change its screen, and the player sends no heartbeat that is not valid", () =>
  sendPageMessages(1_000, seed));

test("[MAL5] each message, response and report of the page that the player refuses is logged with the field that is wrong", () =>
  checkRefusals(300, seed));
