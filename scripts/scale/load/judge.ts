// After the faults: looks for every acknowledged write, event, webhook and command. What is missing or there twice is a violation.
import { createHash } from "node:crypto";
import { finalStatuses, type CommandStatus } from "../../../src/protocol/device/commands.ts";
import type { Json } from "./client.ts";
import type { Load } from "./load.ts";
import { readAll as readPages } from "./read-all.ts";
import type { GotEvent } from "./subscriber.ts";

const settleLimitMs = 120_000;
const deliveryLimitMs = 300_000;

export async function judgeEverything(load: Load): Promise<void> {
  const { run } = load.test;
  const events = await judgeEvents(load);
  await judgeResources(load);
  await judgeVersions(load);
  const commands = await judgeCommands(load);
  const deliveries = await judgeWebhooks(load, events);
  await judgePlayers(load);
  const { registers, ...counts } = load.known.counts();
  run.print({ judged: true, ...counts, registers: registers ?? 0, events: events.length, commands_begun: commands, deliveries });
}

/** Every subscriber has every event once and in order, and each acknowledged change is one of them. */
async function judgeEvents(load: Load): Promise<GotEvent[]> {
  const { subscribers, known, test } = load;
  const { run } = test;
  // A last event that all of them must get.
  const { body } = await load.client.insist(
    () => load.cluster.proxy.url,
    { method: "POST", path: "playlists", body: { name: "last" } },
    "last",
    run.signal,
  );
  const isLast = ({ data }: GotEvent): boolean => data["playlist_id"] === body.id;
  await run
    .until("every subscriber has got the last event", () => subscribers.every(({ events }) => events.some(isLast)), settleLimitMs)
    .catch((error: unknown) => {
      const places = subscribers.map(({ name, seq }) => `${name}: ${seq}`).join(", ");
      run.violate(`${error instanceof Error ? error.message : String(error)} (${places})`);
    });
  const [first, ...others] = subscribers;
  const upToLast = ({ events }: (typeof subscribers)[number]): GotEvent[] => events.slice(0, events.findIndex(isLast) + 1);
  const list = upToLast(first!);
  const ids = list.map(({ id }) => id).join();
  for (const other of others)
    if (
      upToLast(other)
        .map(({ id }) => id)
        .join() !== ids
    )
      run.violate(`${other.name} has got other events than ${first!.name}`);
  if (new Set(list.map(({ id }) => id)).size !== list.length) run.violate("an event came twice");
  const times = new Map<string, number>();
  for (const { type, data } of list) {
    const id = String(data["playlist_id"] ?? data["layout_id"]);
    const key = `${type} ${id} ${String(data["name"])}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  for (const { type, id, name } of known.changes) {
    const count = times.get(`${type} ${id} ${name}`) ?? 0;
    if (count !== 1) run.violate(`${count} events ${type} of ${id} (${name})`);
  }
  return list;
}

async function judgeResources(load: Load): Promise<void> {
  const { known, test } = load;
  const { run } = test;
  const playlists = await readAll(load, "playlists");
  const names = new Map(playlists.map(({ id, name }) => [id, String(name)]));
  for (const [id, name] of known.playlists) if (names.get(id) !== name) run.violate(`playlist ${id} (${name}) is ${String(names.get(id))}`);
  for (const { id, name, pending } of known.registers)
    if (![name, ...pending].includes(names.get(id) ?? "")) run.violate(`playlist ${id} is ${String(names.get(id))} instead of ${name}`);
  for (const [name, all] of Map.groupBy(playlists, (each) => String(each["name"])))
    if (all.length > 1) run.violate(`${all.length} playlists are called ${name}: a repeated request had two effects`);
  const layouts = new Set((await readAll(load, "layouts")).map(({ id }) => id));
  for (const id of known.layouts.keys()) if (!layouts.has(id)) run.violate(`layout ${id} is lost`);
  const players = await readAll(load, "players");
  const playerIds = new Set(players.map(({ id }) => id));
  for (const id of known.players.keys()) if (!playerIds.has(id)) run.violate(`player ${id} is lost`);
  for (const [name, all] of Map.groupBy(players, (each) => String(each["name"])))
    if (all.length > 1) run.violate(`${all.length} players are called ${name}`);
  for (const [id, digest] of known.assets) {
    const outcome = await load.client.send(load.chooseUrl(), { method: "GET", path: `assets/${id}/content` });
    if (outcome.is !== "answered" || outcome.status !== 200) run.violate(`file ${id}: ${JSON.stringify(outcome)}`);
    else if (
      createHash("sha256")
        .update(outcome.body as Buffer)
        .digest("hex") !== digest
    )
      run.violate(`file ${id} has other bytes`);
  }
}

/** Versions are numbered without a gap, and each published draft is the one that was acknowledged. */
async function judgeVersions(load: Load): Promise<void> {
  const { run } = load.test;
  const versions = await readAll(load, "versions");
  const numbers = versions.map((each) => Number(each["number"])).toSorted((a, b) => a - b);
  const gap = numbers.findIndex((number, place) => number !== place + 1);
  if (gap !== -1) run.violate(`versions are not numbered without a gap: ${numbers[gap]} follows ${numbers[gap - 1] ?? 0}`);
  const drafts = new Map<string, number[]>();
  for (const { draft_id, number } of versions)
    if (typeof draft_id === "string") drafts.set(draft_id, [...(drafts.get(draft_id) ?? []), Number(number)]);
  for (const [draft, number] of load.known.versions)
    if (drafts.get(draft)?.join() !== String(number))
      run.violate(`draft ${draft} is version ${String(drafts.get(draft))} instead of ${number}`);
}

/** No command is lost, and none began twice. @returns how many began. */
async function judgeCommands(load: Load): Promise<number> {
  const { known, test, commandPlayers } = load;
  const { run } = test;
  const openCommands = async (): Promise<Json[]> => {
    const all = await readAll(load, "commands");
    const byId = new Map(all.map((each) => [each.id, each]));
    for (const id of known.commands) if (!byId.has(id)) throw new Error(`command ${id} is lost`);
    return all.filter((each) => known.commands.has(each.id) && !finalStatuses.includes(each["status"] as CommandStatus));
  };
  let left: Json[] = [];
  await run
    .until("all commands have ended", async () => (left = await openCommands()).length === 0, settleLimitMs)
    .catch((error: unknown) =>
      run.violate(
        `${String(error)}: ${left
          .map((each) => `${each.id} ${String(each["status"])}`)
          .join(", ")
          .slice(0, 500)}`,
      ),
    );
  const begun = await commandPlayers.begun();
  for (const each of await readAll(load, "commands")) {
    const times = begun.get(each.id) ?? 0;
    if (times > 1) run.violate(`command ${each.id} began ${times} times`);
    if (known.commands.has(each.id) && (each["status"] !== "succeeded" || times !== 1))
      run.violate(`command ${each.id} is ${String(each["status"])} and began ${times} times`);
  }
  return begun.size;
}

/** The receiver has got every event at least once. @returns the number of its requests. */
async function judgeWebhooks(load: Load, events: readonly GotEvent[]): Promise<number> {
  const { run } = load.test;
  const wanted = events.filter(({ type }) => !type.startsWith("webhook."));
  let missing = wanted;
  const check = (): boolean => {
    const got = new Set(load.receiver.ids);
    missing = missing.filter(({ id }) => !got.has(id));
    return missing.length === 0;
  };
  await run.until("every webhook is delivered", check, deliveryLimitMs).catch((error: unknown) => {
    const first = missing.slice(0, 5).map(({ id, type }) => `${id} ${type}`);
    run.violate(
      `${error instanceof Error ? error.message : String(error)}: ${missing.length} of ${wanted.length} missing: ${first.join(", ")}`,
    );
  });
  return load.receiver.received.length;
}

async function judgePlayers(load: Load): Promise<void> {
  const { run } = load.test;
  let counts = await load.swarm.counts();
  await run
    .until("all players are connected", async () => (counts = await load.swarm.counts()).connected === load.swarm.size, settleLimitMs)
    .catch(() => run.violate(`${counts.connected} of ${load.swarm.size} players are connected`));
  if (counts.gaps > 0) run.violate(`players missed ${counts.gaps} messages`);
  if (counts.lost > 0) run.violate(`${counts.lost} connections of players did not resume`);
}

/** All pages of a list, from any node. */
function readAll(load: Load, path: string): Promise<Json[]> {
  return readPages(load.client, () => load.chooseUrl(), path, load.test.run.signal);
}
