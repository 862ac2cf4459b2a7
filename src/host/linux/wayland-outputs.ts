// Asks a Wayland compositor whether it has an output. Without one nothing is drawn, and Chromium does not even start.
import { connect } from "node:net";
import { join } from "node:path";

const limitMs = 5_000;
const headerBytes = 8;
// Objects that this client names. The display is always 1.
const [display, registry, callback] = [1, 2, 3];
const getRegistry = [display, (12 << 16) | 1, registry];
const sync = [display, (12 << 16) | 0, callback];

/**
 * Null without a compositor, or if it does not respond within five seconds.
 * @see https://wayland.freedesktop.org/docs/html/ch04.html
 */
export async function hasWaylandOutput(env: NodeJS.ProcessEnv): Promise<boolean | null> {
  const { WAYLAND_DISPLAY: name, XDG_RUNTIME_DIR: folder } = env;
  if (name === undefined || (folder === undefined && !name.startsWith("/"))) return null;
  const socket = connect(name.startsWith("/") ? name : join(folder!, name));
  const limit = AbortSignal.timeout(limitMs);
  const end = (): void => void socket.destroy();
  limit.addEventListener("abort", end);
  try {
    socket.write(new Uint8Array(Uint32Array.from([...getRegistry, ...sync]).buffer));
    let received = Buffer.alloc(0);
    let hasOutput = false;
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, bytes]);
      for (let event = readEvent(received); event !== null; event = readEvent(received)) {
        received = received.subarray(event.size);
        if (event.object === registry && event.interface === "wl_output") hasOutput = true;
        // It comes after all that the registry has.
        if (event.object === callback) return hasOutput;
      }
    }
    return null;
  } catch {
    return null; // no compositor listens, or it ended the connection
  } finally {
    limit.removeEventListener("abort", end);
    socket.destroy();
  }
}

/** The first event; null if it is not here as a whole. Numbers have the byte order of the machine: little on all that Chromium supports. */
function readEvent(bytes: Buffer): { object: number; size: number; interface: string } | null {
  if (bytes.length < headerBytes) return null;
  const object = bytes.readUInt32LE(0);
  const size = bytes.readUInt16LE(6);
  if (size < headerBytes || bytes.length < size) return null;
  // The registry's events have a number, then the length and the text of the interface's name, which ends with a NUL.
  const isGlobal = object === registry && bytes.readUInt16LE(4) === 0;
  return { object, size, interface: isGlobal ? bytes.toString("latin1", 16, 15 + bytes.readUInt32LE(12)) : "" };
}
