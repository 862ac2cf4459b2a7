// The common part of the player's own servers, on real sockets with a short deadline.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createLoopbackServer } from "../../../src/base/http/loopback-server.ts";
import { openRaw } from "../../support/raw-connection.ts";

test("[SRF5] the player's own servers close connections on which no whole request arrives in time, and reject repeated headers", async () => {
  const server = createLoopbackServer((request, response) => {
    request.resume().once("end", () => response.end("done"));
  }, 300);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  using all = new DisposableStack();
  all.defer(() => server.close());
  all.defer(() => server.closeAllConnections());
  const late = ["", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"].map((text) => {
    const connection = all.use(openRaw(url));
    connection.write(text);
    if (text !== "") connection.drip("x: y\r\n");
    return connection;
  });
  await Promise.all(late.map(({ closed }) => closed));
  for (const { received } of late) expect(received).not.toContain("done");
  const ask = async (headers: string) => {
    const connection = all.use(openRaw(url));
    connection.write(`GET / HTTP/1.1\r\nConnection: close\r\nHost: a\r\n${headers}\r\n`);
    await connection.closed;
    return connection.received;
  };
  expect(await ask("")).toContain("done");
  expect(await ask("host: b\r\n")).toMatch(/^HTTP\/1\.1 400 [^]*host may come only once/);
});
