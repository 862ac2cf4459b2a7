// Asks stand-ins for a compositor, because test machines have none: real sockets, and the bytes of the protocol.
import { createServer, type Socket } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hasWaylandOutput, watchWaylandOutputs } from "../../../src/host/linux/wayland-outputs.ts";
import { temporaryFolder } from "../../support/folder.ts";

/** An event of the registry (object 2): a number, the interface's name with its NUL, padded to four bytes, and a version. */
function globalEvent(name: string, number = 0): Buffer {
  const length = name.length + 1;
  const size = 8 + 8 + Math.ceil(length / 4) * 4 + 4;
  const event = Buffer.alloc(size);
  event.writeUInt32LE(2, 0);
  event.writeUInt16LE(size, 6);
  event.writeUInt32LE(number, 8);
  event.writeUInt32LE(length, 12);
  event.write(name, 16, "latin1");
  return event;
}

/** The registry's other event: a global is gone. */
function removeEvent(number: number): Buffer {
  return Buffer.from(Uint32Array.from([2, (12 << 16) | 1, number]).buffer);
}

/** The callback (object 3) that ends the list. */
const done = Buffer.from(Uint32Array.from([3, 12 << 16, 1]).buffer);

/** Runs `use` with the environment of a compositor that calls `respond` once it has been asked for its list. */
async function withCompositor<T>(
  respond: (socket: Socket) => void,
  use: (env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<{ answer: T; asked: Buffer }> {
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
    return { answer: await use({ WAYLAND_DISPLAY: "wayland-0", XDG_RUNTIME_DIR: folder.path }), asked };
  } finally {
    server.close();
  }
}

function ask(respond: (socket: Socket) => void): Promise<{ answer: boolean | null; asked: Buffer }> {
  return withCompositor(respond, hasWaylandOutput);
}

/** How many changes are told of a compositor that sends these events and ends. */
async function changesIn(events: readonly Buffer[]): Promise<number> {
  let changes = 0;
  const watch = (env: NodeJS.ProcessEnv): Promise<void> => watchWaylandOutputs(env, () => (changes += 1), new AbortController().signal);
  await withCompositor((socket) => socket.end(Buffer.concat(events)), watch);
  return changes;
}

test("[HST42] a compositor without an output means that the display is off, in any pieces; one that does not respond, that it is unknown", async () => {
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

test("[DSP8] a compositor tells of each output that comes or goes, and of nothing else", async () => {
  const present = [globalEvent("wl_seat", 1), globalEvent("wl_output", 2)];
  expect(await changesIn([...present, done])).toBe(0);
  expect(await changesIn([...present, done, globalEvent("wl_seat", 3), removeEvent(1)])).toBe(0);
  expect(await changesIn([...present, done, globalEvent("wl_output", 3)])).toBe(1);
  expect(await changesIn([...present, done, removeEvent(2)])).toBe(1);
  // An output that is gone before the list was complete.
  expect(await changesIn([...present, removeEvent(2), done])).toBe(0);
});
