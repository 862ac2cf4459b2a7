// A recorded tree of /proc and /sys of a machine with Wi-Fi and without iw: test machines have no Wi-Fi.
import { expect, test } from "vitest";
import { readNetwork } from "../../../../src/host/linux/sensors/network-sensor.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { writeTree } from "../../../support/write-tree.ts";

const wifi = {
  "proc/net/route": `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n`,
  "sys/class/net/wlan0/phy80211/name": "phy0\n",
};

test("[SNS2] the kernel's file tells the signal of a connected Wi-Fi, and the levels that stand for no connection are unknown", async () => {
  await using folder = await temporaryFolder();
  await writeTree(folder.path, wifi);
  const { signal } = new AbortController();
  const read = () => readNetwork({ root: folder.path, env: { PATH: folder.path }, signal, interfaces: () => ({}) });
  const none = { interface: "wlan0", kind: "wifi", addresses: [], ssid: null, signal_dbm: null };
  expect(await read()).toEqual(none);
  for (const [level, signal_dbm] of [
    ["-56.", -56],
    ["-1.", -1],
    ["0.", null],
    ["-200.", null],
    ["-256.", null],
    ["54.", null],
    ["?", null],
  ] as const) {
    const wireless = `Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   54.  ${level}  -256        0      0      0      0     13        0\n`;
    await writeTree(folder.path, { "proc/net/wireless": wireless });
    expect(await read(), level).toEqual({ ...none, signal_dbm });
  }
});
