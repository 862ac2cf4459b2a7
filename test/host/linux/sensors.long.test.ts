// Recorded trees of /proc and /sys, and recorded tools on PATH: test machines have none of this hardware.
import { join } from "node:path";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { createLinuxSensors } from "../../../src/host/linux/sensors/linux-sensors.ts";
import { readNetwork } from "../../../src/host/linux/sensors/network-sensor.ts";
import type { MachineSensors } from "../../../src/player/machine-controls.ts";
import { createFakeTools, fails, type FakeTools, hangs } from "../../support/fake-tools.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { writeTree } from "../../support/write-tree.ts";

const { signal } = new AbortController();

function sensorsOf(root: string, tools: FakeTools, run: string | null = "run-1", stateFolder: string | null = root): MachineSensors {
  return createLinuxSensors({ env: tools.env, root, run, stateFolder });
}

const routeHead = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
const routes = `${routeHead}wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth0\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n`;
const wifiOnly = `${routeHead}wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n`;
const ipv6Routes = `20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00450003     wlan0
00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo\n`;
const interfaces = {
  "sys/class/net/eth0/type": "1\n",
  "sys/class/net/eth0/device/vendor": "0x14e4\n",
  "sys/class/net/wlan0/type": "1\n",
  "sys/class/net/wlan0/phy80211/name": "phy0\n",
  "sys/class/net/tun0/type": "65534\n",
};
const addresses = {
  eth0: [{ address: "192.168.2.7" }, { address: "fe80::1", scopeid: 2 }, { address: "2001:db8::7", scopeid: 0 }],
  wlan0: [{ address: "192.168.1.7" }, { address: "169.254.3.4" }],
} as unknown as ReturnType<typeof networkInterfaces>;
const iw = `cat <<'END'
Connected to 02:11:22:33:44:55 (on wlan0)
	SSID: Caf\\xc3\\xa9 \\xf0\\x9f\\x93\\xba
	freq: 5180.0
	RX: 2154 bytes (20 packets)
	signal: -58 dBm
	rx bitrate: 200.0 MBit/s
END`;

test("[SNS1] the network is the interface of the default route with the smallest metric, IPv4 else IPv6, with its kind and addresses", async () => {
  await using folder = await temporaryFolder();
  const { env } = await createFakeTools(folder.path, { iw });
  const read = () => readNetwork({ root: folder.path, env, signal, interfaces: () => addresses });
  await writeTree(folder.path, { "proc/net/route": routes, "proc/net/ipv6_route": ipv6Routes, ...interfaces });
  const wired = { interface: "eth0", kind: "ethernet", addresses: ["192.168.2.7", "2001:db8::7"], ssid: null, signal_dbm: null };
  expect(await read()).toEqual(wired);
  await writeTree(folder.path, { "proc/net/route": `${routeHead}tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n` });
  expect(await read()).toMatchObject({ interface: "tun0", kind: "other", addresses: [] });
  // A network with IPv6 only.
  await writeTree(folder.path, { "proc/net/route": routeHead });
  expect(await read()).toMatchObject({ interface: "wlan0", kind: "wifi" });
  await writeTree(folder.path, { "proc/net/ipv6_route": "" });
  expect(await read()).toBeNull();
});

test(
  "[SNS2] the Wi-Fi's name and signal come from iw, else the signal from the kernel's file, else they are unknown",
  { timeout: 60_000 },
  async () => {
    await using folder = await temporaryFolder();
    const tools = await createFakeTools(folder.path, { iw });
    await writeTree(folder.path, { "proc/net/route": wifiOnly, ...interfaces });
    const sensors = sensorsOf(folder.path, tools);
    expect(await sensors.network()).toMatchObject({ kind: "wifi", ssid: "Café 📺", signal_dbm: -58 });
    await tools.write("iw", "echo 'Not connected.'");
    expect(await sensors.network()).toMatchObject({ ssid: null, signal_dbm: null });
    await tools.write("iw", fails("command failed: Operation not permitted (-1)"));
    expect(await sensors.network()).toMatchObject({ ssid: null, signal_dbm: null });
    const wireless = `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   54.  -56.  -256        0      0      0      0     13        0\n`;
    await writeTree(folder.path, { "proc/net/wireless": wireless });
    expect(await sensors.network()).toMatchObject({ ssid: null, signal_dbm: -56 });
    await tools.write("iw", hangs);
    expect(await sensors.network()).toMatchObject({ kind: "wifi", signal_dbm: -56 });
  },
);

test(
  "[SNS3] throttling comes from vcgencmd, else from the firmware's file, else the voltage alone from its driver; other machines have none",
  { timeout: 60_000 },
  async () => {
    await using folder = await temporaryFolder();
    const tools = await createFakeTools(folder.path, { vcgencmd: "echo throttled=0x50005" });
    const everything = { now: ["under-voltage", "throttled"], since_start: ["under-voltage", "throttled"] };
    expect(await sensorsOf(folder.path, tools).throttling()).toEqual(everything);
    for (const broken of [fails("Can't open device file: /dev/vcio"), "echo 'error=1 error_msg=\"Command not registered\"'", hangs]) {
      await using other = await temporaryFolder();
      const failing = await createFakeTools(other.path, { vcgencmd: broken });
      expect(await sensorsOf(other.path, failing).throttling()).toBeNull();
      await writeTree(other.path, { "sys/devices/platform/soc/soc:firmware/get_throttled": "20002\n" });
      expect(await sensorsOf(other.path, failing).throttling()).toEqual({ now: ["frequency-capped"], since_start: ["frequency-capped"] });
    }
    await using other = await temporaryFolder();
    await writeTree(other.path, { "sys/class/hwmon/hwmon1/name": "rpi_volt\n", "sys/class/hwmon/hwmon1/in0_lcrit_alarm": "1\n" });
    const none = await createFakeTools(other.path, {});
    expect(await sensorsOf(other.path, none).throttling()).toEqual({ now: ["under-voltage"], since_start: ["under-voltage"] });
  },
);

test("[SNS4] a condition stays in since_start until the machine starts again, also when the firmware forgets it or the player restarts", async () => {
  await using folder = await temporaryFolder();
  const tools = await createFakeTools(folder.path, { vcgencmd: "echo throttled=0x1" });
  const sensors = sensorsOf(folder.path, tools);
  await sensors.throttling();
  // Without the sticky bit: the kernel's driver cleared it.
  await tools.write("vcgencmd", "echo throttled=0x80000");
  const later = { now: [], since_start: ["under-voltage", "soft-temperature-limit"] };
  expect(await sensors.throttling()).toEqual(later);
  await tools.write("vcgencmd", "echo throttled=0x0");
  expect(await sensorsOf(folder.path, tools).throttling()).toEqual(later);
  expect(await sensorsOf(folder.path, tools, "run-2").throttling()).toEqual({ now: [], since_start: [] });
  await writeTree(folder.path, { file: "" });
  // A folder that cannot be written is no fault of the sensor.
  await tools.write("vcgencmd", "echo throttled=0x1");
  expect(await sensorsOf(folder.path, tools, "run-3", join(folder.path, "file/state")).throttling()).toMatchObject({
    now: ["under-voltage"],
  });
});

const disks = {
  "proc/self/mountinfo": `22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root rw,errors=remount-ro
30 22 0:25 / /run rw,nosuid shared:5 - tmpfs tmpfs rw
41 22 253:0 / /mnt/with\\040space rw - ext4 /dev/mapper/data rw
42 22 8:1 / /mnt/ssd rw - xfs /dev/sda1 rw
43 22 0:44 / /mnt/btrfs rw - btrfs /dev/nvme0n1p3 rw
50 22 179:2 /var/lib/signage-player /var/lib/signage-player rw,nosuid - ext4 /dev/root rw,errors=remount-ro\n`,
  "sys/dev/block/179:2": "->../../devices/platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0/mmcblk0p2",
  "sys/dev/block/253:0": "->../../devices/virtual/block/dm-0",
  "sys/dev/block/8:1": "->../../devices/pci0000:00/ata1/block/sda/sda1",
  "sys/class/block/mmcblk0p2": "->../../devices/platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0/mmcblk0p2",
  "sys/devices/platform/emmc/mmc_host/mmc0/mmc0:0001/block/mmcblk0/mmcblk0p2/partition": "2\n",
  "sys/class/block/dm-0/slaves/nvme0n1p2/partition": "2\n",
  "sys/class/block/nvme0n1p2": "->../../devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p2",
  "sys/devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p2/partition": "2\n",
  "sys/class/block/nvme0n1p3": "->../../devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p3",
  "sys/devices/pci0000:00/nvme/nvme0/nvme0n1/nvme0n1p3/partition": "3\n",
  "sys/class/block/sda1": "->../../devices/pci0000:00/ata1/block/sda/sda1",
  "sys/devices/pci0000:00/ata1/block/sda/sda1/partition": "1\n",
  "sys/fs/ext4/mmcblk0p2/errors_count": "3\n",
  "sys/fs/ext4/dm-0/errors_count": "0\n",
  "sys/block/mmcblk0/device/life_time": "0x02 0x0a\n",
};
const smartctl = `case "$4" in
/dev/sda) echo '{"smartctl":{"exit_status":8},"smart_status":{"passed":false}}'; exit 8 ;;
/dev/nvme0n1) echo '{"smart_status":{"passed":true,"nvme":{"value":0}},"nvme_smart_health_information_log":{"percentage_used":7}}' ;;
*) echo '{"smartctl":{"exit_status":2,"messages":[{"string":"Permission denied"}]}}'; exit 2 ;;
esac`;

test("[SNS5] the disk that holds a folder is found behind partitions, binds, encryption and btrfs, with errors of ext4, wear and SMART", async () => {
  await using folder = await temporaryFolder();
  const sensors = sensorsOf(folder.path, await createFakeTools(folder.path, { smartctl }));
  await writeTree(folder.path, disks);
  const emmc = { device: "mmcblk0", file_system_errors: 3, wear_percent: 100, smart: null, read_only: false };
  expect(await sensors.storage("/var/lib/signage-player")).toMatchObject(emmc);
  const encrypted = { device: "nvme0n1", file_system_errors: 0, wear_percent: 7, smart: "passed", read_only: false };
  expect(await sensors.storage("/mnt/with space/player")).toMatchObject(encrypted);
  const failing = { device: "sda", total_bytes: null, file_system_errors: null, wear_percent: null, smart: "failed", read_only: false };
  expect(await sensors.storage("/mnt/ssd/player")).toEqual(failing);
  expect(await sensors.storage("/mnt/btrfs/player")).toMatchObject({ device: "nvme0n1", file_system_errors: null });
  expect(await sensors.storage("/run/player")).toBeNull();
  expect((await sensors.storage("/"))!.total_bytes).toBeGreaterThan(0);
});

test("[SNS6] a file system that made itself read-only after an error is reported", async () => {
  await using folder = await temporaryFolder();
  const sensors = sensorsOf(folder.path, await createFakeTools(folder.path, {}));
  await writeTree(folder.path, disks);
  await writeTree(folder.path, { "proc/self/mountinfo": "22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/root ro,errors=remount-ro\n" });
  expect(await sensors.storage("/nowhere")).toMatchObject({ device: "mmcblk0", read_only: true, smart: null });
});

test("[SNS7] smartctl is asked once an hour; one that is missing, hangs or prints no JSON tells nothing", { timeout: 60_000 }, async () => {
  for (const scripts of [{}, { smartctl: hangs }, { smartctl: "echo usage; exit 1" }] as const) {
    await using folder = await temporaryFolder();
    const tools = await createFakeTools(folder.path, scripts as Record<string, string>);
    const sensors = sensorsOf(folder.path, tools);
    await writeTree(folder.path, disks);
    for (const _ of [1, 2]) expect(await sensors.storage("/mnt/ssd")).toMatchObject({ device: "sda", smart: null });
    expect((await tools.calls()).length).toBeLessThanOrEqual(1);
  }
});

test("[SNS8] a machine that has none of this has no readings, and no sensor rejects", async () => {
  await using folder = await temporaryFolder();
  const sensors = sensorsOf(folder.path, await createFakeTools(folder.path, {}));
  expect([await sensors.network(), await sensors.throttling(), await sensors.storage("/")]).toEqual([null, null, null]);
});
