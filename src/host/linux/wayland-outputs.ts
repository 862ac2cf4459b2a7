// Asks a Wayland compositor whether it has an output, and when that changes. Without one nothing is drawn, and Chromium does not even start.
import { connect } from "node:net";
import { join } from "node:path";

const limitMs = 5_000;
const headerBytes = 8;
// Objects that this client names. The display is always 1.
const [display, registry, callback] = [1, 2, 3];
const getRegistry = [display, (12 << 16) | 1, registry];
const sync = [display, (12 << 16) | 0, callback];

// The events of the registry.
const [global, globalRemove] = [0, 1];

interface Event {
  object: number;
  opcode: number;
  size: number;
  /** The number of the global that a registry event is about, and its interface when it is new. */
  global: number;
  interface: string;
}

/**
 * Null without a compositor, or if it does not respond within five seconds.
 * @see https://wayland.freedesktop.org/docs/html/ch04.html
 */
export async function hasWaylandOutput(env: NodeJS.ProcessEnv): Promise<boolean | null> {
  let hasOutput = false;
  try {
    for await (const event of readRegistry(env, AbortSignal.timeout(limitMs))) {
      if (event.object === registry && event.interface === "wl_output") hasOutput = true;
      // It comes after all that the registry has.
      if (event.object === callback) return hasOutput;
    }
    return null;
  } catch {
    return null; // no compositor listens, or it ended the connection
  }
}

/**
 * Calls `onChange` whenever an output is added or removed, until `signal` aborts (rejects then) or the compositor ends.
 * @throws Error when there is no compositor.
 */
export async function watchWaylandOutputs(env: NodeJS.ProcessEnv, onChange: () => void, signal: AbortSignal): Promise<void> {
  const outputs = new Set<number>();
  let isComplete = false;
  for await (const event of readRegistry(env, signal)) {
    if (event.object === callback) isComplete = true;
    if (event.object !== registry) continue;
    const isAdded = event.opcode === global && event.interface === "wl_output";
    if (isAdded) outputs.add(event.global);
    const isRemoved = event.opcode === globalRemove && outputs.delete(event.global);
    if (isComplete && (isAdded || isRemoved)) onChange();
  }
  signal.throwIfAborted();
}

/** The events of a new connection, until it ends. */
async function* readRegistry(env: NodeJS.ProcessEnv, signal: AbortSignal): AsyncGenerator<Event> {
  const { WAYLAND_DISPLAY: name, XDG_RUNTIME_DIR: folder } = env;
  if (name === undefined || (folder === undefined && !name.startsWith("/"))) return;
  signal.throwIfAborted();
  const socket = connect(name.startsWith("/") ? name : join(folder!, name));
  const end = (): void => void socket.destroy();
  signal.addEventListener("abort", end);
  try {
    socket.write(new Uint8Array(Uint32Array.from([...getRegistry, ...sync]).buffer));
    let buffer = Buffer.alloc(0);
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      buffer = Buffer.concat([buffer, bytes]);
      for (let event = readEvent(buffer); event !== null; event = readEvent(buffer)) {
        buffer = buffer.subarray(event.size);
        yield event;
      }
    }
  } finally {
    signal.removeEventListener("abort", end);
    socket.destroy();
  }
}

/** The first event; null if it is not here as a whole. Numbers have the byte order of the machine: little on all that Chromium supports. */
function readEvent(bytes: Buffer): Event | null {
  if (bytes.length < headerBytes) return null;
  const object = bytes.readUInt32LE(0);
  const [opcode, size] = [bytes.readUInt16LE(4), bytes.readUInt16LE(6)];
  if (size < headerBytes || bytes.length < size) return null;
  const isOfRegistry = object === registry && size >= headerBytes + 4;
  const number = isOfRegistry ? bytes.readUInt32LE(headerBytes) : 0;
  // A new global has a number, then the length and the text of its interface's name, which ends with a NUL.
  const name = isOfRegistry && opcode === global ? bytes.toString("latin1", 16, 15 + bytes.readUInt32LE(12)) : "";
  return { object, opcode, size, global: number, interface: name };
}
