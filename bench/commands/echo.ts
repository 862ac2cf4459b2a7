// A WebSocket server in a process of its own that sends every message back. Reports its port to the parent.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (socket) => socket.on("message", (data: Buffer) => socket.send(data)));
await once(server, "listening");
process.on("disconnect", () => process.exit(0));
process.send!((server.address() as AddressInfo).port);
