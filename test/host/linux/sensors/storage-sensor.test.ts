// A recorded tree of /proc and /sys of a machine with a disk, and a recorded smartctl.
import { expect, test } from "vitest";
import { StorageSensor } from "../../../../src/host/linux/sensors/storage-sensor.ts";
import { createFakeTools } from "../../../support/fake-tools.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { writeTree } from "../../../support/write-tree.ts";

const disk = {
  "proc/self/mountinfo": "42 22 8:1 / /mnt/ssd rw - xfs /dev/sda1 rw\n",
  "sys/dev/block/8:1": "->../../devices/pci0000:00/ata1/block/sda/sda1",
  "sys/class/block/sda1": "->../../devices/pci0000:00/ata1/block/sda/sda1",
  "sys/devices/pci0000:00/ata1/block/sda/sda1/partition": "1\n",
};
const hourMs = 3_600_000;

test("[SNS7] smartctl is asked once an hour, and one that is missing tells nothing", async () => {
  await using folder = await temporaryFolder();
  await writeTree(folder.path, disk);
  const tools = await createFakeTools(folder.path, {});
  let now = 0;
  const sensor = new StorageSensor({ root: folder.path, env: tools.env, now: () => now });
  const read = () => sensor.read("/mnt/ssd/player", new AbortController().signal);
  const unknown = { device: "sda", total_bytes: null, file_system_errors: null, wear_percent: null, smart: null, read_only: false };
  expect(await read()).toEqual(unknown);
  await tools.write("smartctl", `echo '{"smart_status":{"passed":false}}'; exit 8`);
  now = hourMs - 1;
  expect(await read()).toEqual(unknown);
  now = hourMs;
  expect(await read()).toEqual({ ...unknown, smart: "failed" });
  now = 2 * hourMs - 1;
  expect(await read()).toEqual({ ...unknown, smart: "failed" });
  expect(await tools.calls()).toEqual(["smartctl -H -A -j /dev/sda"]);
});
