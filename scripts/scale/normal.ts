// When everything works again after a fault: every node is ready and writes, subscribers hear of it, files are read, all players are back.
import type { Load } from "./load/load.ts";

const giveUpMs = 180_000;
const patienceMs = 3_000;

/** How long it took until everything worked again, ms. */
export interface Recovery {
  /** Nodes, writes, events and files. */
  service: number;
  /** All players too: they wait a random time before they come back. */
  players: number;
}

/** Waits until everything works. @throws Error that names what does not work. */
export async function untilNormal(load: Load): Promise<Recovery> {
  const from = performance.now();
  await until(load, "everything works again", () => whatIsWrong(load));
  const service = performance.now() - from;
  await until(load, "all players are back", async () => {
    const { connected } = await load.swarm.counts();
    return connected === load.swarm.size ? null : `${connected} of ${load.swarm.size}`;
  });
  return { service, players: performance.now() - from };
}

/** @param check resolves to what is wrong; null: nothing. */
async function until(load: Load, what: string, check: () => Promise<string | null>): Promise<void> {
  let wrong: string | null = null;
  await load.test.run
    .until(what, async () => (wrong = await check()) === null, giveUpMs)
    .catch((error: unknown) => {
      load.test.run.signal.throwIfAborted();
      throw new Error(`${error instanceof Error ? error.message : String(error)}: ${String(wrong)}`);
    });
}

/** Null if everything but the players works. */
async function whatIsWrong(load: Load): Promise<string | null> {
  const { cluster, client, subscribers, test } = load;
  const ways = [{ name: "haproxy", url: cluster.proxy.url }, ...cluster.running.map(({ engine, url }) => ({ name: engine.name, url }))];
  for (const { name, url } of ways) {
    const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(patienceMs) }).catch(() => null);
    const text = await ready?.text();
    if (ready?.status !== 200) return `${name} is not ready: ${text ?? "no answer"}`;
    const label = `normal ${test.run.random.integer(0, 1e9)}`;
    const written = await client.send(url, { method: "POST", path: "playlists", body: { name: label } }, patienceMs);
    if (written.is !== "answered" || written.status !== 201) return `${name} does not write: ${JSON.stringify(written).slice(0, 300)}`;
    const { id } = written.body as { id: string };
    const end = performance.now() + patienceMs;
    for (let behind = subscribers.filter(({ events }) => !events.some(({ data }) => data["playlist_id"] === id)); behind.length > 0;) {
      if (performance.now() > end)
        return `${behind.map((each) => `the subscriber ${each.name}`).join(", ")} does not hear of what ${name} writes`;
      await test.run.pause(20);
      behind = behind.filter(({ events }) => !events.slice(-200).some(({ data }) => data["playlist_id"] === id));
    }
    const [asset] = load.known.assets.keys();
    if (asset === undefined) continue;
    const read = await client.send(url, { method: "GET", path: `assets/${asset}/content` }, patienceMs);
    if (read.is !== "answered" || read.status !== 200) return `${name} does not read files: ${JSON.stringify(read).slice(0, 300)}`;
  }
  return null;
}
