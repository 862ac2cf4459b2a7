// Reads the machine that the tests run on.
import { networkInterfaces, tmpdir } from "node:os";
import { expect, test } from "vitest";
import { createLinuxMachine } from "../../../src/host/linux/machine.ts";

test("[HST26] the machine's readings are real values, or null where they are unknown", async () => {
  const readings = await createLinuxMachine().readings(tmpdir());
  expect(readings.timezone).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(readings.cpuLoad).toBeGreaterThanOrEqual(0);
  expect(readings.diskFreeBytes).toBeGreaterThan(0);
  if (readings.temperatureC !== null) expect(readings.temperatureC).toBeGreaterThan(-40);
  if (readings.hardware !== null) expect(readings.hardware).not.toBe("");
  expect(await createLinuxMachine().readings("/nowhere")).toMatchObject({ diskFreeBytes: null });
});

test("[HST27] the boot id changes with each start", () => {
  expect(createLinuxMachine().bootId).not.toBe(createLinuxMachine().bootId);
});

test("[FST8] the machine lists its network addresses, without those that only it can reach", () => {
  const known = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  for (const address of createLinuxMachine().addresses()) {
    expect(known.map((each) => each.address)).toContain(address);
    expect(address).not.toMatch(/^(?:127\.|169\.254\.|::1$|fe80:)/);
  }
  const reachable = known.filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of reachable.filter((each) => !each.address.startsWith("169.254."))) {
    expect(createLinuxMachine().addresses()).toContain(address);
  }
});
