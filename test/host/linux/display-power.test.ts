// Reads folders as the kernel's graphics drivers provide them: fakes, because test machines have no display.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readDisplayPower } from "../../../src/host/linux/display-power.ts";
import { temporaryFolder } from "../../support/folder.ts";

type Connector = readonly [name: string, status: string, power: string];

async function powerOf(connectors: readonly Connector[]): Promise<"on" | "off" | null> {
  await using folder = await temporaryFolder();
  for (const [name, status, power] of connectors) {
    await mkdir(join(folder.path, name));
    await writeFile(join(folder.path, name, "status"), `${status}\n`);
    await writeFile(join(folder.path, name, "dpms"), `${power}\n`);
  }
  return await readDisplayPower(folder.path);
}

test("[HST41] the display is on if any connected one is, off if all are switched off, unknown without one or if the driver is silent", async () => {
  const off = ["card1-HDMI-A-1", "connected", "Off"] as const;
  expect(await powerOf([off, ["card1-HDMI-A-2", "disconnected", "On"]])).toBe("off");
  expect(await powerOf([off, ["card1-DP-1", "connected", "Standby"]])).toBe("off");
  expect(await powerOf([off, ["card1-DP-1", "connected", "On"]])).toBe("on");
  expect(await powerOf([["card1-HDMI-A-1", "disconnected", "Off"]])).toBeNull();
  expect(await powerOf([["card1-Writeback-1", "unknown", "Off"]])).toBeNull();
  expect(await powerOf([["card1-HDMI-A-1", "connected", ""]])).toBeNull();
  expect(await readDisplayPower("/nowhere")).toBeNull();
});
