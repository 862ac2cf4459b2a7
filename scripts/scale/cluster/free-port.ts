// Chooses ports that stay free while a program is down.
import { once } from "node:events";
import { createServer } from "node:net";
import type { Random } from "../../soak/random.ts";

// Below the range from which Linux takes the ports of outgoing connections: one of those would take the port of a program that is
// down, and a client that tries to reach it could even connect to itself.
const [lowest, highest] = [18_000, 30_000];
const taken = new Set<number>();

/** A port on 127.0.0.1 that nobody listens on. */
export async function freePort(random: Random): Promise<number> {
  for (;;) {
    const port = random.integer(lowest, highest);
    if (taken.has(port) || !(await canListen(port))) continue;
    taken.add(port);
    return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  const listening = once(server, "listening").then(
    () => true,
    () => false,
  );
  server.listen(port, "0.0.0.0");
  if (!(await listening)) return false;
  server.close();
  await once(server, "close");
  return true;
}
