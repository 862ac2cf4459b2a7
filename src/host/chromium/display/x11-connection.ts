// A connection to an X server of this machine, as a client that draws nothing: authentication, requests, replies and events.
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { Fault, hasErrorCode } from "../../../base/fault.ts";
import type { Environment } from "../account.ts";

const packetBytes = 32;
/** The kinds of packets (X Window System Protocol 11, appendix B). Other kinds are events. */
export const packet = { error: 0, reply: 1, configureNotify: 22, propertyNotify: 28, genericEvent: 35 };
const cookieName = "MIT-MAGIC-COOKIE-1";

/** An error, a reply or an event. `head` has 32 bytes; only replies and generic events have a `body`. */
export interface Packet {
  kind: number;
  head: Buffer;
  body: Buffer;
}

/**
 * Connects to the X server, and calls `use` with the connection and the first screen's root window.
 * @param env uses DISPLAY, XAUTHORITY and HOME.
 * @throws Fault `unsupported` when DISPLAY names no server of this machine, `unreachable` when the server rejects or closes
 * the connection or reports an error, an AbortError when `signal` aborts.
 */
export async function withX11<T>(
  env: Environment,
  signal: AbortSignal,
  use: (connection: X11Connection, root: number) => Promise<T>,
): Promise<T> {
  const number = /^(?:unix)?:(\d+)(?:\.\d+)?$/.exec(env["DISPLAY"] ?? "")?.[1];
  if (number === undefined)
    throw new Fault("unsupported", `DISPLAY is ${env["DISPLAY"]}: only a server of this machine can be listened to`);
  const cookie = await findCookie(env, number);
  const socket = connect({ path: `/tmp/.X11-unix/X${number}`, signal });
  try {
    const connection = new X11Connection(socket);
    return await use(connection, await connection.setUp(cookie));
  } catch (error) {
    signal.throwIfAborted();
    throw new Fault("unreachable", `the X server on :${number} cannot be listened to`, { cause: error });
  } finally {
    socket.destroy();
  }
}

/** A connection. All numbers are little-endian, as the setup request announces. */
export class X11Connection {
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /** @returns the first screen's root window. @throws Error when the server rejects the connection. */
  async setUp(cookie: Buffer): Promise<number> {
    this.#socket.write(setupRequest(cookie));
    const head = await this.#read(8);
    const rest = head === null ? null : await this.#read(head.readUInt16LE(6) * 4);
    if (head === null || rest === null) throw new Error("it closed the connection");
    if (head[0] !== 1) throw new Error(`it rejects the connection: ${rest.toString("latin1", 0, head[1]).trim()}`);
    const vendorBytes = rest.readUInt16LE(16);
    const formats = rest[21]!;
    return rest.readUInt32LE(32 + padLength(vendorBytes) + formats * 8);
  }

  /** Sends a request that consists of 32-bit numbers and, at its end, of `text`. */
  send(numbers: readonly number[], text = ""): void {
    const name = Buffer.alloc(padLength(text.length));
    name.write(text, "latin1");
    this.#socket.write(Buffer.concat([toUint32s(numbers), name]));
  }

  /** The reply to the only request without one, or the error; events before it are dropped. @throws Error when the server closes the connection. */
  async reply(): Promise<Packet> {
    for (let next = await this.next(); next !== null; next = await this.next()) {
      if (next.kind === packet.reply || next.kind === packet.error) return next;
    }
    throw new Error("it closed the connection");
  }

  /** The next packet; null at the end. */
  async next(): Promise<Packet | null> {
    const head = await this.#read(packetBytes);
    if (head === null) return null;
    const kind = head[0]! & 0x7f;
    const isLong = kind === packet.reply || kind === packet.genericEvent;
    const body = await this.#read(isLong ? head.readUInt32LE(4) * 4 : 0);
    return body === null ? null : { kind, head, body };
  }

  async #read(length: number): Promise<Buffer | null> {
    while (this.#bytes.length < length) {
      const { value, done } = await this.#chunks.next();
      if (done) return null;
      this.#bytes = Buffer.concat([this.#bytes, value]);
    }
    const bytes = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return bytes;
  }
}

/** The error that a packet reports, for a log line. */
export function errorOf({ head }: Packet): Error {
  return new Error(`it reports error ${head[1]} for request ${head[10]}`);
}

/** `length` rounded up to whole 32-bit numbers, as the protocol pads texts. */
export function padLength(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function setupRequest(cookie: Buffer): Buffer {
  const name = cookie.length === 0 ? "" : cookieName;
  const request = Buffer.alloc(12 + padLength(name.length) + padLength(cookie.length));
  request.write("l", "latin1");
  request.writeUInt16LE(11, 2);
  request.writeUInt16LE(name.length, 6);
  request.writeUInt16LE(cookie.length, 8);
  request.write(name, 12, "latin1");
  cookie.copy(request, 12 + padLength(name.length));
  return request;
}

/** The display's cookie from the file described in Xau(3); empty if there is none, which a server without access control accepts. */
async function findCookie(env: Environment, display: string): Promise<Buffer> {
  const path = env["XAUTHORITY"] || join(env["HOME"] ?? "/", ".Xauthority");
  let bytes = await readFile(path).catch((error: unknown) => {
    if (hasErrorCode(error, "ENOENT", "EACCES")) return Buffer.alloc(0);
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
