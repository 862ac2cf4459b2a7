// Listens to an X server for changes of its displays, as a client of the X protocol and RandR that draws nothing.
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Fault } from "../../base/fault.ts";
import type { Environment } from "./account.ts";

// X Window System Protocol 11, RandR 1.2. All numbers are little-endian, as the setup request announces.
const opcode = { changeWindowAttributes: 2, queryExtension: 98 };
const randr = { name: "RANDR", queryVersion: 0, selectInput: 4 };
const eventMaskValue = 0x800;
const structureNotify = 0x20000;
// Changes of the screen's size, of a mode, of a connected output: RRScreenChangeNotify, RRCrtcChangeNotify, RROutputChangeNotify.
const randrChanges = 0b111;
const packetBytes = 32;
const packet = { error: 0, reply: 1, configureNotify: 22, genericEvent: 35 };
const cookieName = "MIT-MAGIC-COOKIE-1";

/**
 * Calls `onChange` when it starts listening, and whenever a display's size, mode or connection changes.
 * @param env uses DISPLAY, XAUTHORITY and HOME.
 * @throws Fault `unsupported` when DISPLAY names no server of this machine, `unreachable` when the server rejects or closes
 * the connection, an AbortError when `signal` aborts.
 */
export async function watchDisplays(env: Environment, onChange: () => void, signal: AbortSignal): Promise<never> {
  const number = /^(?:unix)?:(\d+)(?:\.\d+)?$/.exec(env["DISPLAY"] ?? "")?.[1];
  if (number === undefined)
    throw new Fault("unsupported", `DISPLAY is ${env["DISPLAY"]}: only a server of this machine can be listened to`);
  const cookie = await findCookie(env, number);
  const socket = connect({ path: `/tmp/.X11-unix/X${number}`, signal });
  try {
    await new Connection(socket).watch(cookie, onChange);
  } catch (error) {
    signal.throwIfAborted();
    throw new Fault("unreachable", `the X server on :${number} cannot be listened to`, { cause: error });
  } finally {
    socket.destroy();
  }
  signal.throwIfAborted();
  throw new Fault("unreachable", `the X server on :${number} closed the connection`);
}

class Connection {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /** Resolves when the server closes the connection. */
  async watch(cookie: Buffer, onChange: () => void): Promise<void> {
    this.#socket.write(setupRequest(cookie));
    const root = await this.#readSetup();
    this.#socket.write(toUint32s([opcode.changeWindowAttributes | (4 << 16), root, eventMaskValue, structureNotify]));
    const { major, firstEvent } = await this.#findRandr();
    if (major !== null) {
      this.#socket.write(toUint32s([major | (randr.queryVersion << 8) | (3 << 16), 1, 2]));
      this.#socket.write(toUint32s([major | (randr.selectInput << 8) | (3 << 16), root, randrChanges]));
    }
    onChange();
    for (let next = await this.#readPacket(); next !== null; next = await this.#readPacket()) {
      const kind = next[0]! & 0x7f;
      if (kind === packet.configureNotify || (major !== null && (kind === firstEvent || kind === firstEvent + 1))) onChange();
    }
  }

  /** @returns the first screen's root window. */
  async #readSetup(): Promise<number> {
    const head = await this.#read(8);
    const rest = head === null ? null : await this.#read(head.readUInt16LE(6) * 4);
    if (head === null || rest === null) throw new Error("it closed the connection");
    if (head[0] !== 1) throw new Error(`it rejects the connection: ${rest.toString("latin1", 0, head[1]).trim()}`);
    const vendorBytes = rest.readUInt16LE(16);
    const formats = rest[21]!;
    return rest.readUInt32LE(32 + padded(vendorBytes) + formats * 8);
  }

  async #findRandr(): Promise<{ major: number | null; firstEvent: number }> {
    const name = Buffer.alloc(padded(randr.name.length));
    name.write(randr.name, "latin1");
    const length = 2 + name.length / 4;
    this.#socket.write(Buffer.concat([toUint32s([opcode.queryExtension | (length << 16), randr.name.length]), name]));
    for (let next = await this.#readPacket(); next !== null; next = await this.#readPacket()) {
      if (next[0] === packet.reply) return { major: next[8] === 1 ? next[9]! : null, firstEvent: next[10]! };
    }
    throw new Error("it closed the connection");
  }

  /** The next reply or event; null at the end. @throws Error when the server reports an error. */
  async #readPacket(): Promise<Buffer | null> {
    const head = await this.#read(packetBytes);
    if (head === null) return null;
    if (head[0] === packet.error) throw new Error(`it reports error ${head[1]} for request ${head[10]}`);
    const isLong = head[0] === packet.reply || (head[0]! & 0x7f) === packet.genericEvent;
    if (isLong && (await this.#read(head.readUInt32LE(4) * 4)) === null) return null;
    return head;
  }

  async #read(length: number): Promise<Buffer | null> {
    while (this.#bytes.length < length) {
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      this.#bytes = Buffer.concat([this.#bytes, value]);
    }
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }
}

function setupRequest(cookie: Buffer): Buffer {
  const name = cookie.length === 0 ? "" : cookieName;
  const request = Buffer.alloc(12 + padded(name.length) + padded(cookie.length));
  request.write("l", "latin1");
  request.writeUInt16LE(11, 2);
  request.writeUInt16LE(name.length, 6);
  request.writeUInt16LE(cookie.length, 8);
  request.write(name, 12, "latin1");
  cookie.copy(request, 12 + padded(name.length));
  return request;
}

/** The display's cookie from the file described in Xau(3); empty if there is none, which a server without access control accepts. */
async function findCookie(env: Environment, display: string): Promise<Buffer> {
  const path = env["XAUTHORITY"] || join(env["HOME"] ?? "/", ".Xauthority");
  let bytes = await readFile(path).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EACCES")) return Buffer.alloc(0);
    throw error;
  });
  while (bytes.length > 2) {
    // Family, then address, display number, name and data, each preceded by its length.
    let at = 2;
    const field = (): Buffer => {
      const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0;
      at += 2 + length;
      return bytes.subarray(at - length, at);
    };
    const [, number, name, data] = [field(), field(), field(), field()];
    const isForDisplay = number.length === 0 || number.toString("latin1") === display;
    if (isForDisplay && name.toString("latin1") === cookieName) return data;
    bytes = bytes.subarray(at);
  }
  return Buffer.alloc(0);
}

function toUint32s(numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, at) => bytes.writeUInt32LE(number >>> 0, at * 4));
  return bytes;
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}
