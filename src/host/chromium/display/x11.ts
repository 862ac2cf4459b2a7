// Asks an X server for changes of its displays, and for a window manager that sizes fullscreen windows.
import { Fault, isFault } from "../../../base/fault.ts";
import type { Environment } from "../account.ts";
import { errorOf, packet, type Packet, padLength, withX11, type X11Connection } from "./x11-connection.ts";

// X Window System Protocol 11, RandR 1.2.
const opcode = { changeWindowAttributes: 2, internAtom: 16, getProperty: 20, queryExtension: 98 };
const randr = { name: "RANDR", queryVersion: 0, selectInput: 4 };
const eventMaskValue = 0x800;
const structureNotify = 0x20000;
const propertyChange = 0x400000;
// Changes of the screen's size, of a mode, of a connected output: RRScreenChangeNotify, RRCrtcChangeNotify, RROutputChangeNotify.
const randrChanges = 0b111;
// Extended Window Manager Hints 1.5.
const ewmh = { check: "_NET_SUPPORTING_WM_CHECK", supported: "_NET_SUPPORTED", fullscreen: "_NET_WM_STATE_FULLSCREEN" };
const maxPropertyNumbers = 1_024;

/**
 * Calls `onChange` when it starts listening, whenever a display's size, mode or connection changes, and when a window manager starts.
 * @throws Fault as {@link withX11} does; `unreachable` at the latest when the server ends.
 */
export async function watchDisplays(env: Environment, onChange: () => void, signal: AbortSignal): Promise<never> {
  await withX11(env, signal, (connection, root) => watch(connection, root, onChange));
  signal.throwIfAborted();
  throw new Fault("unreachable", `the X server on ${env["DISPLAY"]} closed the connection`);
}

/**
 * Tells if a window manager runs that sizes fullscreen windows itself; null when the X server cannot be asked.
 * @throws AbortError when `signal` aborts.
 */
export async function hasWindowManager(env: Environment, signal: AbortSignal): Promise<boolean | null> {
  try {
    return await withX11(env, signal, async (connection, root) => {
      const [check, supportList, fullscreen] = [
        await atomOf(connection, ewmh.check),
        await atomOf(connection, ewmh.supported),
        await atomOf(connection, ewmh.fullscreen),
      ];
      // The property survives a window manager that was killed, but its window does not.
      const [window] = await propertyOf(connection, root, check);
      if (window === undefined || (await propertyOf(connection, window, check))[0] !== window) return false;
      return (await propertyOf(connection, root, supportList)).includes(fullscreen);
    });
  } catch (error) {
    if (signal.aborted || !isFault(error)) throw error;
    return null;
  }
}

/** Resolves when the server closes the connection. */
async function watch(connection: X11Connection, root: number, onChange: () => void): Promise<void> {
  connection.send([opcode.changeWindowAttributes | (4 << 16), root, eventMaskValue, structureNotify | propertyChange]);
  const { major, firstEvent } = await findRandr(connection);
  const check = await atomOf(connection, ewmh.check);
  if (major !== null) {
    connection.send([major | (randr.queryVersion << 8) | (3 << 16), 1, 2]);
    connection.send([major | (randr.selectInput << 8) | (3 << 16), root, randrChanges]);
  }
  onChange();
  for (let next = await connection.next(); next !== null; next = await connection.next()) {
    const { kind, head } = next;
    if (kind === packet.error) throw errorOf(next);
    const isRandr = major !== null && (kind === firstEvent || kind === firstEvent + 1);
    const isManager = kind === packet.propertyNotify && head.readUInt32LE(8) === check;
    if (kind === packet.configureNotify || isRandr || isManager) onChange();
  }
}

async function findRandr(connection: X11Connection): Promise<{ major: number | null; firstEvent: number }> {
  const { head } = await askByName(connection, opcode.queryExtension, randr.name);
  return { major: head[8] === 1 ? head[9]! : null, firstEvent: head[10]! };
}

async function atomOf(connection: X11Connection, name: string): Promise<number> {
  return (await askByName(connection, opcode.internAtom, name)).head.readUInt32LE(8);
}

/** The reply to a request whose only argument is a name. @throws Fault when the server replies with an error. */
async function askByName(connection: X11Connection, code: number, name: string): Promise<Packet> {
  const length = 2 + padLength(name.length) / 4;
  connection.send([code | (length << 16), name.length], name);
  const reply = await connection.reply();
  if (reply.kind === packet.error) throw errorOf(reply);
  return reply;
}

/** The 32-bit numbers of a window's property; none if the window or the property does not exist. */
async function propertyOf(connection: X11Connection, window: number, property: number): Promise<number[]> {
  const [anyType, offset] = [0, 0];
  connection.send([opcode.getProperty | (6 << 16), window, property, anyType, offset, maxPropertyNumbers]);
  const { kind, head, body } = await connection.reply();
  if (kind === packet.error || head[1] !== 32) return [];
  return Array.from({ length: head.readUInt32LE(16) }, (_, at) => body.readUInt32LE(at * 4));
}
