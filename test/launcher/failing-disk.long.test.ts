// Each file of a launcher fails with each code.
import { test } from "vitest";
import { failureCodes } from "../support/failing-disk.ts";
import { deviceWithHistory, expectNothingLost, launcherFiles } from "./device-with-history.ts";

test.each(failureCodes)("[SLT10] while any file of the launcher fails with %s something runs, and then what ran before", async (code) => {
  await using rig = await deviceWithHistory();
  const all = await launcherFiles(rig);
  await expectNothingLost(rig, code, [...all.map((path) => [path]), all]);
});
