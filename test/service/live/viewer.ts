// A viewer of a live view: reads the parts of the response one by one.
import { commandJwsType, SignedCommand } from "../../../src/protocol/device/commands.ts";
import { LiveArgs } from "../../../src/protocol/device/machine-commands.ts";
import { verifyJws } from "../../../src/base/jws.ts";
import type { Device, DeviceSocket } from "../harness.ts";

/** A part of the response. */
export interface LivePart {
  type: string;
  bytes: Buffer;
}

export class Viewer {
  readonly status: number;
  readonly headers: Headers;
  readonly #abort: AbortController;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #boundary: string;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.#boundary = /boundary=(\w+)/.exec(response.headers.get("content-type") ?? "")?.[1] ?? "";
    this.#chunks = (response.body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  }

  /** Resolves once the response has begun, which is with the first frame. */
  static async open(url: string, path: string, token: string | null): Promise<Viewer> {
    const abort = new AbortController();
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    return new Viewer(await fetch(`${url}/api/v1/${path}`, { headers, signal: abort.signal }), abort);
  }

  /** The body of a response that is no live view. */
  async json(): Promise<Record<string, unknown>> {
    while (await this.#more()) continue;
    return JSON.parse(this.#rest.toString()) as Record<string, unknown>;
  }

  /** The next part; null: the response has ended. */
  async next(): Promise<LivePart | null> {
    const boundary = `--${this.#boundary}`;
    for (;;) {
      const start = this.#rest.indexOf(boundary);
      const head = this.#rest.indexOf("\r\n\r\n", start);
      const end = head === -1 ? -1 : this.#rest.indexOf(`\r\n${boundary}`, head);
      if (start !== -1 && end !== -1) {
        const type = /content-type: ([^\r]+)/i.exec(this.#rest.subarray(start, head).toString())?.[1] ?? "";
        const bytes = this.#rest.subarray(head + 4, end);
        this.#rest = this.#rest.subarray(end + 2);
        return { type, bytes };
      }
      if (!(await this.#more())) return null;
    }
  }

  /** Disconnects. */
  leave(): void {
    this.#abort.abort();
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (done === true) return false;
    this.#rest = Buffer.concat([this.#rest, value]);
    return true;
  }
}

/** The arguments of the next command live that a device receives, and its id. */
export async function nextLive(device: Device, socket: DeviceSocket): Promise<LiveArgs & { commandId: string }> {
  for (;;) {
    const { data } = await socket.next("command");
    const command = SignedCommand.parse(await verifyJws(commandJwsType, data.command, device.access.service_key));
    if (command.type === "live") return { ...LiveArgs.parse(command.args), commandId: command.jti };
  }
}

/** Sends a frame as the device does. */
export function putFrame(device: Device, streamId: string, bytes: Buffer, type = "image/jpeg") {
  return device.call("PUT", `live/${streamId}`, bytes, { "content-type": type });
}
