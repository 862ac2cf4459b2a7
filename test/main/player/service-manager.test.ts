// Reports to a stand-in for systemd: a real datagram socket, to which the real systemd-notify writes.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pino } from "pino";
import { expect, test } from "vitest";
import { reportToSystemd } from "../../../src/main/player/service-manager.ts";
import { silentLog } from "../../../src/base/log.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { eventually } from "../../support/polling.ts";

const canReceive = ["systemd-notify", "python3"].every((program) => spawnSync(program, ["--version"]).status === 0);

// systemd-notify passes a descriptor with BARRIER=1 and waits until the receiver closes it.
const receiver = `
import array, os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    text, ancillary, _, _ = s.recvmsg(4096, 1024)
    for _, _, data in ancillary:
        for fd in array.array("i", data[: len(data) // 4 * 4]):
            os.close(fd)
    print(text.decode().strip(), flush=True)
`;

/** A socket as systemd provides it, and the messages that it received. */
async function createNotifySocket() {
  const folder = await temporaryFolder();
  const socket = join(folder.path, "notify");
  const child = spawn("python3", ["-c", receiver, socket], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  await eventually(() => lines.shift() === "bound");
  const messages = (): string[] => lines.filter((line) => line !== "BARRIER=1");
  return {
    socket,
    messages,
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill();
      await exited;
      await folder[Symbol.asyncDispose]();
    },
  };
}

test.skipIf(!canReceive)(
  "[SYD1] systemd learns that the player has started, and that it works until the recovery is hopeless",
  async () => {
    await using systemd = await createNotifySocket();
    const clock = new FakeClock();
    const stop = new AbortController();
    let isHopeful = true;
    const env = { ...process.env, NOTIFY_SOCKET: systemd.socket, WATCHDOG_USEC: "30000000" };
    const running = reportToSystemd(env, clock, silentLog)!(() => isHopeful, stop.signal).catch((error: unknown) => error);
    await eventually(() => clock.pendingWaits === 1);
    expect(systemd.messages()).toEqual(["READY=1"]);
    for (let message = 1; message <= 2; message += 1) {
      clock.advance(10_000);
      await eventually(() => clock.pendingWaits === 1 && systemd.messages().length === message + 1);
    }
    isHopeful = false;
    clock.advance(10_000);
    await eventually(() => clock.pendingWaits === 1);
    expect(systemd.messages()).toEqual(["READY=1", "WATCHDOG=1", "WATCHDOG=1"]);
    stop.abort();
    expect(await running).toMatchObject({ name: "AbortError" });
  },
);

test("[SYD2] without systemd the player reports nothing, and a report that fails is logged once and ends nothing", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  expect(reportToSystemd({}, clock, silentLog)).toBeNull();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const env = { NOTIFY_SOCKET: "/nowhere", WATCHDOG_USEC: "30000000", PATH: "/nowhere" };
  const running = reportToSystemd(env, clock, log)!(() => true, stop.signal).catch((error: unknown) => error);
  for (let report = 0; report < 3; report += 1) {
    await eventually(() => clock.pendingWaits === 1);
    clock.advance(10_000);
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/systemd could not be notified/);
  stop.abort();
  expect(await running).toMatchObject({ name: "AbortError" });
});
