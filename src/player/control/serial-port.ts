// Writes to a serial port and reads the reply. The system's stty sets the port up.
import { constants } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { SerialPort } from "../../protocol/device/wired-displays.ts";
import { runProgram } from "./run-program.ts";
import { maxReplyBytes } from "./wired-reply.ts";

const setUpMs = 5_000;
const maxToolBytes = 4_096;
const stty = "/usr/bin/stty";
const readWrite = constants.O_RDWR | constants.O_NOCTTY;

/** Sends `bytes` exactly and reads the reply for `replyMs`. @throws Fault `not-applied` if the port cannot be set up or used. */
export async function exchangeSerial(port: SerialPort, bytes: Buffer, replyMs: number, clock: Clock, signal: AbortSignal): Promise<Buffer> {
  // Kept open while stty runs: some drivers forget the settings when nobody has the port open. O_NONBLOCK: do not wait for a carrier.
  await using held = await openPort(port, constants.O_NONBLOCK);
  void held;
  const end = await runProgram(stty, sttyArguments(port), { timeoutMs: setUpMs, maxOutputBytes: maxToolBytes }, clock, signal);
  if (end.code !== 0) throw new Fault("not-applied", `stty: ${end.stderr[0] ?? "it did not end"}`);
  await using file = await openPort(port, 0);
  for (let sent = 0; sent < bytes.length;) {
    signal.throwIfAborted();
    sent += (await file.write(bytes, sent)).bytesWritten;
  }
  return await readReply(file, replyMs, clock, signal);
}

async function openPort({ name, device }: SerialPort, flags: number): Promise<FileHandle> {
  const file = await open(device, readWrite | flags).catch((error: unknown) => {
    throw new Fault("not-applied", `the serial port ${name} cannot be opened`, { cause: error });
  });
  // A name in the declaration may be wrong; a plain file must not be written.
  if ((await file.stat()).isCharacterDevice()) return file;
  await file.close();
  throw new Fault("not-applied", `${device} is not a serial port`);
}

/** Reads return after a tenth of a second without bytes (`min 0 time 1`), so that the time limit holds. */
async function readReply(file: FileHandle, replyMs: number, clock: Clock, signal: AbortSignal): Promise<Buffer> {
  const reply = Buffer.alloc(maxReplyBytes + 1);
  const endsAt = clock.monotonic() + replyMs;
  let length = 0;
  while (length < reply.length && clock.monotonic() < endsAt) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(reply, length, reply.length - length, null);
    length += bytesRead;
  }
  return reply.subarray(0, length);
}

function sttyArguments({ device, baud, data_bits, parity, stop_bits }: SerialPort): string[] {
  const parityFlags = { none: ["-parenb"], even: ["parenb", "-parodd"], odd: ["parenb", "parodd"] }[parity];
  const stopFlag = stop_bits === 2 ? "cstopb" : "-cstopb";
  const flow = ["clocal", "-crtscts", "-ixon", "-ixoff"];
  return ["-F", device, String(baud), "raw", "-echo", `cs${data_bits}`, ...parityFlags, stopFlag, ...flow, "min", "0", "time", "1"];
}
