// The commands serial.write and network.send: with a real pseudo-terminal, and a real TCP server on loopback.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import type { CommandModule } from "../../../src/player/commands/command-module.ts";
import { wiredDisplayModules } from "../../../src/player/commands/modules/wired-displays.ts";
import { DeclaredDevices } from "../../../src/player/control/declared-devices.ts";
import { CommandRequest } from "../../../src/protocol/device/command-request.ts";
import { FakeClock } from "../../support/clock.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { newId } from "../../support/states.ts";

const ownerUid = process.getuid!();

/** The commands of a device with this declaration. */
async function createDevice(folder: string, declaration: unknown, mode = 0o644, clock = new FakeClock()) {
  const wiredDisplays = join(folder, "wired-displays.json");
  if (declaration !== null) await writeFile(wiredDisplays, JSON.stringify(declaration));
  if (declaration !== null) await chmod(wiredDisplays, mode);
  const declared = await DeclaredDevices.open({ scripts: null, wiredDisplays, ownerUid }, silentLog);
  const modules = wiredDisplayModules({ declared, clock });
  const moduleOf = (type: string): CommandModule => modules.find((module) => module.type === type)!;
  async function run(type: string, args: object) {
    const command = { ...CommandRequest.parse({ type, args }), id: newId("cmd") };
    const outcome = await moduleOf(type).run(command, new AbortController().signal);
    return outcome.is === "done" ? outcome.result : null;
  }
  return { declared, run, missing: (type: string) => moduleOf(type).missing!() };
}

// The other end of the wire: prints what it receives in hexadecimal, and answers each write.
const terminal = `
import os, sys, tty
master, slave = os.openpty()
tty.setraw(slave)
print(os.ttyname(slave), flush=True)
answer = bytes.fromhex(sys.argv[1])
while True:
    data = os.read(master, 4096)
    if answer: os.write(master, answer)
    print(data.hex(), flush=True)
`;

/** A display at a serial port that answers each write. */
async function openTerminal(answerHex: string) {
  const child = spawn("python3", ["-c", terminal, answerHex], { stdio: ["ignore", "pipe", "inherit"] });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const [device] = (await once(reader, "line")) as [string];
  reader.on("line", (line) => lines.push(line));
  return {
    device,
    received: () => lines.join(""),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

test("[WDV1] the command serial.write sends its bytes exactly, also control characters, and returns the reply as text and in hexadecimal", async () => {
  await using folder = await temporaryFolder();
  await using wire = await openTerminal(Buffer.from("OK\r\n\u0003").toString("hex"));
  const all = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  const clock = new FakeClock();
  const monotonic = clock.monotonic.bind(clock);
  // Time passes from one read to the next once the answer is on the wire.
  clock.monotonic = () => {
    if (wire.received() === all.toString("hex")) clock.advance(100);
    return monotonic();
  };
  const { run } = await createDevice(folder.path, { serial: [{ name: "panel", device: wire.device, baud: 115_200 }] }, 0o644, clock);
  const result = await run("serial.write", { port: "panel", hex: all.toString("hex"), reply_ms: 1_500 });
  expect(result).toMatchObject({ sent_bytes: 256, reply: { text: expect.stringMatching(/^OK\r\n/), is_cut: false } });
  expect((result as { reply: { hex: string } }).reply.hex).toMatch(/^4f4b0d0a03/);
  await expect.poll(wire.received).toBe(all.toString("hex"));
});

test("[WDV2] the command serial.write sends text as UTF-8 with nothing added", async () => {
  await using folder = await temporaryFolder();
  await using wire = await openTerminal("");
  const { run } = await createDevice(folder.path, { serial: [{ name: "panel", device: wire.device }] });
  const result = await run("serial.write", { port: "panel", text: "ka 01 01\r", reply_ms: 0 });
  expect(result).toEqual({ sent_bytes: 9, reply: { bytes: 0, text: "", hex: "", is_cut: false } });
  await expect.poll(wire.received).toBe(Buffer.from("ka 01 01\r").toString("hex"));
});

/** A TCP server that answers with `answer` and records what it receives. */
async function listen(answer: (socket: Socket) => void) {
  const received: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // the player may close first
    socket.on("data", (chunk) => received.push(chunk));
    socket.once("data", () => answer(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    received: () => Buffer.concat(received).toString("hex"),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

test("[WDV3] the command network.send sends its bytes exactly and returns the reply, cut after 2,000 bytes", async () => {
  await using folder = await temporaryFolder();
  await using short = await listen((socket) => socket.end("pong\r"));
  await using long = await listen((socket) => socket.write("x".repeat(5_000)));
  const network = [
    { name: "projector", host: "127.0.0.1", port: short.port },
    { name: "talker", host: "127.0.0.1", port: long.port },
  ];
  const { run } = await createDevice(folder.path, { network });
  const reply = { bytes: 5, text: "pong\r", hex: "706f6e670d", is_cut: false };
  expect(await run("network.send", { host: "projector", hex: "00 ff:0d", reply_ms: 5_000 })).toEqual({ sent_bytes: 3, reply });
  expect(short.received()).toBe("00ff0d");
  const cut = { bytes: 2_000, text: "x".repeat(2_000), hex: "78".repeat(2_000), is_cut: true };
  expect(await run("network.send", { host: "talker", text: "?", reply_ms: 5_000 })).toEqual({ sent_bytes: 1, reply: cut });
});

test("[WDV4] only declared ports and hosts are used, and a change of the declaration counts at once", async () => {
  await using folder = await temporaryFolder();
  await using server = await listen((socket) => socket.end("x"));
  const network = [{ name: "one", host: "127.0.0.1", port: server.port }];
  const { run, missing } = await createDevice(folder.path, { network });
  expect(missing("network.send")).toBeNull();
  expect(missing("serial.write")).toMatch("no serial port");
  await expect(run("network.send", { host: "two", text: "?" })).rejects.toMatchObject({ code: "unsupported" });
  expect(CommandRequest.safeParse({ type: "network.send", args: { host: "127.0.0.1:80", text: "?" } }).success).toBe(false);
  expect(CommandRequest.safeParse({ type: "network.send", args: { host: "one" } }).success).toBe(false);
  await writeFile(join(folder.path, "wired-displays.json"), JSON.stringify({ network: [] }));
  await expect(run("network.send", { host: "one", text: "?" })).rejects.toMatchObject({ code: "unsupported" });
  expect(server.received()).toBe("");
});

test("[WDV5] a declaration that others may write, or with an unknown field, declares nothing and says why", async () => {
  await using folder = await temporaryFolder();
  const network = [{ name: "one", host: "127.0.0.1", port: 1 }];
  expect((await createDevice(folder.path, null)).missing("network.send")).toMatch("there is no file");
  expect((await createDevice(folder.path, { network }, 0o666)).missing("network.send")).toMatch("others may write");
  const strange = { network: [{ ...network[0], tls: true }] };
  expect((await createDevice(folder.path, strange)).missing("network.send")).toMatch(/network\.0.*tls/);
  expect((await createDevice(folder.path, { network: [...network, ...network] })).missing("network.send")).toMatch("twice");
  const file = { serial: [{ name: "file", device: "/dev/../etc/passwd" }] };
  const { run } = await createDevice(folder.path, file);
  await expect(run("serial.write", { port: "file", text: "x" })).rejects.toMatchObject({ code: "not-applied" });
});

test("[WDV6] a host that does not answer, or refuses, fails the command with the reason", async () => {
  await using folder = await temporaryFolder();
  const server = await listen(() => undefined);
  await server[Symbol.asyncDispose]();
  const { run } = await createDevice(folder.path, { network: [{ name: "gone", host: "127.0.0.1", port: server.port }] });
  await expect(run("network.send", { host: "gone", text: "?" })).rejects.toMatchObject({
    code: "not-applied",
    message: expect.stringContaining("cannot be reached"),
  });
});
