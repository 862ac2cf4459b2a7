// Asks stand-ins for a compositor, because test machines have none: real sockets, and the bytes of the protocol.
import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasWaylandOutput } from "../../../src/host/linux/wayland-outputs.ts";
import { temporaryFolder } from "../../support/folder.ts";

/** An event of the registry (object 2): a number, the interface's name with its NUL, padded to four bytes, and a version. */
function globalEvent(name: string): Buffer {
  const length = name.length + 1;
  const size = 8 + 8 + Math.ceil(length / 4) * 4 + 4;
  const event = Buffer.alloc(size);
  event.writeUInt32LE(2, 0);
  event.writeUInt16LE(size, 6);
  event.writeUInt32LE(length, 12);
  event.write(name, 16, "latin1");
  return event;
}

/** The callback (object 3) that ends the list. */
const done = Buffer.from(Uint32Array.from([3, 12 << 16, 1]).buffer);

async function ask(respond: (socket: Socket) => void): Promise<{ answer: boolean | null; asked: Buffer }> {
  await using folder = await temporaryFolder();
  let asked = Buffer.alloc(0);
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      asked = Buffer.concat([asked, bytes]);
      if (asked.length >= 24) respond(socket);
    });
  }).listen(join(folder.path, "wayland-0"));
  await once(server, "listening");
  try {
    return { answer: await hasWaylandOutput({ WAYLAND_DISPLAY: "wayland-0", XDG_RUNTIME_DIR: folder.path }), asked };
  } finally {
    server.close();
  }
}

test("[HST42] a compositor without an output has a display that is off, in any pieces; one that does not respond is unknown", async () => {
  const without = Buffer.concat([globalEvent("wl_compositor"), globalEvent("wl_output_manager"), done]);
  const { answer, asked } = await ask((socket) => socket.write(without));
  expect(answer).toBe(false);
  // wl_display.get_registry(2), wl_display.sync(3)
  expect([...new Uint32Array(new Uint8Array(asked).buffer)]).toEqual([1, (12 << 16) | 1, 2, 1, 12 << 16, 3]);
  const withOutput = Buffer.concat([globalEvent("wl_seat"), globalEvent("wl_output"), done]);
  const pieces = [...withOutput].map((byte) => Buffer.from([byte]));
  expect((await ask((socket) => pieces.forEach((piece) => socket.write(piece)))).answer).toBe(true);
  expect((await ask((socket) => socket.end(globalEvent("wl_seat")))).answer).toBeNull();
  expect((await ask((socket) => socket.write(Buffer.alloc(16)))).answer).toBeNull();
  expect(await hasWaylandOutput({ WAYLAND_DISPLAY: "/nowhere/wayland-0" })).toBeNull();
  expect(await hasWaylandOutput({})).toBeNull();
});
