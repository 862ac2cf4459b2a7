// The stand-in's `screen`: the X display's size and its changes.
import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Display, Rectangle, Screen } from "electron";
import { demandReady } from "./preconditions.ts";
import { onTestEvent } from "./record.ts";

class StandInScreen extends EventEmitter {
  bounds: Rectangle = { x: 0, y: 0, width: 0, height: 0 };

  getPrimaryDisplay(): Display {
    const { width, height } = this.bounds;
    const known = { id: 1, bounds: this.bounds, size: { width, height }, workArea: this.bounds, scaleFactor: 1, rotation: 0 };
    // Other properties are undefined, because this project does not use them.
    return known as Display;
  }

  /** Applies a new size, as if the display's driver had reported it. */
  resize(width: number, height: number): void {
    if (width === this.bounds.width && height === this.bounds.height) return;
    this.bounds = { x: 0, y: 0, width, height };
    this.emit("display-metrics-changed", {}, this.getPrimaryDisplay(), ["bounds", "workArea"]);
  }
}

const display = new StandInScreen();
let isOpen = false;

/** Like Electron's, it is made at its first use, which has to be after `ready`. */
export const screen: StandInScreen = new Proxy(display, {
  get: (target, name) => {
    demandReady(isOpen, "screen");
    const value: unknown = Reflect.get(target, name);
    return typeof value === "function" ? value.bind(target) : value;
  },
});
screen satisfies Pick<Screen, "getPrimaryDisplay">;

/** Reads the display's size from the X server (X protocol, section 8: connection setup). A test can change it. */
export async function openDisplay(): Promise<void> {
  const number = /^:(\d+)/.exec(process.env["DISPLAY"] ?? "")?.[1];
  if (number === undefined) throw new Error("the stand-in needs a local X display");
  const socket = connect(`/tmp/.X11-unix/X${number}`);
  await once(socket, "connect");
  socket.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
  const setup = await readSetup(socket);
  socket.destroy();
  const vendorBytes = setup.readUInt16LE(24);
  const formats = setup[29]!;
  const root = 40 + Math.ceil(vendorBytes / 4) * 4 + formats * 8;
  display.resize(setup.readUInt16LE(root + 20), setup.readUInt16LE(root + 22));
  isOpen = true;
  onTestEvent((event) => {
    if (event.is === "display") display.resize(event.width, event.height);
  });
}

/** The server's whole setup response. @throws Error when it rejects the connection. */
async function readSetup(socket: Socket): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= 8 && bytes.length >= 8 + bytes.readUInt16LE(6) * 4) break;
  }
  if (bytes[0] !== 1) throw new Error("the X server rejects the stand-in");
  return bytes;
}
