// The readings of the box this runs on.
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { createLinuxMachine } from "../../src/host/linux.ts";

test("[HO26] the machine reads its box; what it cannot tell is null", async () => {
  const readings = await createLinuxMachine().read(tmpdir());
  expect(readings.timezone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(readings.cpuLoad).toBeGreaterThanOrEqual(0);
  expect(readings.diskFreeBytes).toBeGreaterThan(0);
  if (readings.temperatureC !== null) expect(readings.temperatureC).toBeGreaterThan(-40);
  if (readings.hardware !== null) expect(readings.hardware).not.toBe("");
  expect(await createLinuxMachine().read("/nowhere")).toMatchObject({ diskFreeBytes: null });
});

test("[HO27] the boot id changes with each start", () => {
  expect(createLinuxMachine().bootId).not.toBe(createLinuxMachine().bootId);
});
