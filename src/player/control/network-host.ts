// Sends bytes to a declared host over TCP and reads the reply.
import { once } from "node:events";
import { connect } from "node:net";
import type { Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { NetworkHost } from "../../protocol/device/wired-displays.ts";
import { maxReplyBytes } from "./wired-reply.ts";

const connectMs = 5_000;

/** Sends `bytes` exactly and reads the reply for `replyMs`, or until the host closes. @throws Fault `not-applied` without a connection. */
export async function exchangeNetwork(
  host: NetworkHost,
  bytes: Buffer,
  replyMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<Buffer> {
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal]);
  const socket = connect({ host: host.host, port: host.port, noDelay: true });
  const chunks: Buffer[] = [];
  let length = 0;
  const closed = new Promise<void>((resolve, reject) => {
    socket.once("close", () => resolve());
    socket.once("error", reject);
  });
  closed.catch(() => undefined); // reported where it is awaited
  const full = new Promise<void>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      if (length <= maxReplyBytes) chunks.push(chunk);
      length += chunk.length;
      if (length > maxReplyBytes) resolve();
    });
  });
  try {
    const isConnected = await Promise.race([
      once(socket, "connect", { signal: end }).then(() => true),
      clock.wait(connectMs, end).then(() => false),
    ]);
    if (!isConnected) throw new Error("no answer in time");
    await new Promise<void>((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
    await Promise.race([closed, full, clock.wait(replyMs, end)]);
    return Buffer.concat(chunks).subarray(0, maxReplyBytes + 1);
  } catch (error) {
    signal.throwIfAborted();
    throw new Fault("not-applied", `the host ${host.name} cannot be reached at ${host.host}, port ${host.port}`, { cause: error });
  } finally {
    over.abort();
    socket.destroy();
  }
}
