// A time server (NTP) on loopback: honest, silent or lying, as the test decides.
import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";

const unixEpochS = 2_208_988_800;

/** Writes UTC ms as an NTP timestamp. */
export function writeTime(packet: Buffer, at: number, ms: number): void {
  const seconds = ms / 1_000 + unixEpochS;
  packet.writeUInt32BE(Math.floor(seconds) % 2 ** 32, at);
  packet.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), at + 4);
}

/** An honest response to `asked` at `now`. */
export function responseTo(asked: Buffer, now: number): Buffer {
  const packet = Buffer.alloc(48);
  packet[0] = 0x24;
  packet[1] = 2;
  packet.writeInt32BE(0.02 * 65_536, 4); // root delay 20 ms
  packet.writeUInt32BE(0.005 * 65_536, 8); // root dispersion 5 ms
  asked.copy(packet, 24, 40, 48);
  writeTime(packet, 32, now);
  writeTime(packet, 40, now);
  return packet;
}

/** A time server on loopback that sends `reply` for each request. */
export async function startTimeServer(reply: (asked: Buffer) => readonly Buffer[]) {
  const socket = createSocket("udp4");
  let asked = 0;
  const listeners: (() => void)[] = [];
  socket.on("message", (packet, from: RemoteInfo) => {
    asked += 1;
    for (const answer of reply(packet)) socket.send(answer, from.port, from.address);
    for (const listener of listeners.splice(0)) listener();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: { host: "127.0.0.1", port: socket.address().port },
    get asked() {
      return asked;
    },
    whenAsked: () => new Promise<void>((resolve) => listeners.push(resolve)),
    async [Symbol.asyncDispose]() {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}
