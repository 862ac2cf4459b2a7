// Damages each file that a paired, playing player keeps, and starts it again: the real player and service, on a fake host.
import { chmod, cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Identity } from "../../src/player/pairing/identity.ts";
import { silentLog } from "../../src/base/log.ts";
import { picture, TestService } from "../service/harness.ts";
import { FakeClock } from "../support/clock.ts";
import { damages } from "../support/damages.ts";
import { temporaryFolder } from "../support/folder.ts";
import { TestPlayer } from "../support/player.ts";
import { eventually, waitUntil } from "../support/polling.ts";

/** No server listens at this address. */
const nowhere = "http://127.0.0.1:9";
/** The log's level of warnings. */
const warning = 40;
const aboutNetwork = /unreachable|could not be (?:delivered|fetched)/;

const harms: typeof damages = [...damages, ["made read-only", (path) => chmod(path, 0o400)]];

const clock = new FakeClock();
const cleanup = new AsyncDisposableStack();
let service: TestService;
/** The folder of a player that played and was stopped. */
let whole: string;
let root: string;
/** The files in it, with their names relative to it. */
let files: string[];
let item: string;
let thumbprint: string;
/** The hash of the item's file. */
let sha256: string;

beforeAll(async () => {
  const folder = cleanup.use(await temporaryFolder());
  root = folder.path;
  service = cleanup.use(await TestService.start(join(root, "service"), { clock }));
  whole = join(root, "whole");
  item = await playOnce();
  files = (await readdir(whole, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(whole.length + 1));
  thumbprint = (await Identity.open(whole, silentLog)).thumbprint;
  const undamaged = await copyOf("undamaged");
  for (const server of [service.service.url, nowhere]) expect(await complaintsOf(undamaged, server)).toEqual([]);
}, 60_000);

afterAll(() => cleanup[Symbol.asyncDispose]());

/** Pairs a player, gives it content twice, and a command whose result it cannot deliver, and stops it. @returns the id of its item. */
async function playOnce(): Promise<string> {
  let server = service.service.url;
  await using player = new TestPlayer(whole, () => server, clock);
  const { id } = (await service.call("POST", "players/pair", { code: await player.pairingCode(), name: "Lobby" })).body;
  await player.line("connected");
  let itemId = "";
  for (const size of [8, 9]) {
    const asset = (await service.upload(await picture("png", size))).body;
    const items = [{ type: "image", asset_id: asset.id, duration_ms: 5_000 }];
    const { playlist, layout } = await service.createLayout(items);
    await service.call("PATCH", `players/${id}`, { layout_id: layout.id });
    itemId = playlist.items[0].id as string;
    sha256 = asset.sha256;
    await eventually(() => presents(player, itemId));
  }
  // The socket stays, but the requests fail.
  server = nowhere;
  await service.call("POST", `players/${id}/commands`, { type: "variables.set", args: { variables: { a: "b" } } });
  await player.line("command ended");
  return itemId;
}

/** Starts the player on `folder`, waits until it shows the item and, unless `isQuiet`, complains about the disk. Stops it. */
async function complaintsOf(folder: string, server: string, isQuiet = true): Promise<string[]> {
  await using player = new TestPlayer(folder, () => server, clock);
  const complaints = (): string[] =>
    player.lines.filter(({ level, msg }) => Number(level) >= warning && !aboutNetwork.test(msg)).map(({ msg }) => msg);
  const shown = async (): Promise<void> => {
    await waitUntil(`the item of ${folder} is shown`, () => presents(player, item), 30_000);
    await player.line(server === nowhere ? "the service is unreachable" : "connected");
    if (!isQuiet) await waitUntil(`the damage of ${folder} is reported`, () => complaints().length > 0, 30_000);
  };
  await Promise.race([shown(), player.ended.then((end) => expect.fail(`the player ended: ${String(end)}`))]);
  expect(player.host.scenes.filter(({ screen }) => screen.is === "pairing")).toEqual([]);
  return complaints();
}

/** Whether the player has shown the item. Moves the clock. */
function presents({ host }: TestPlayer, itemId: string): boolean {
  clock.advance(500);
  host.presentDue();
  return host.presented.includes(itemId);
}

async function copyOf(name: string): Promise<string> {
  const folder = join(root, name);
  await cp(whole, folder, { recursive: true });
  return folder;
}

/** Whether the player needs this file as long as the others are whole. */
function isNeeded(file: string): boolean {
  const isOlderContent = /^content\/[0-9a-f]{64}$/.test(file) && !file.endsWith(sha256);
  return !file.endsWith(".previous") && !isOlderContent;
}

test.for(harms)(
  "[DSK12] a player any of whose files is %s keeps its pairing, shows its content, reports and repairs it",
  async ([how, damage]) => {
    expect(files.length).toBeGreaterThan(15);
    for (const file of files) {
      const folder = await copyOf(`${how} ${file.replaceAll("/", " ")}`);
      await damage(join(folder, file));
      // A missing file may never have been there, and one that only cannot be written is replaced.
      // The end of a play log or an audit log that is missing is no damage: a power loss leaves the same.
      const isLog = file.endsWith(".plays") || file.endsWith(".jsonl");
      const isReported = isNeeded(file) && !["deleted", "made read-only"].includes(how) && !(how === "truncated" && isLog);
      await complaintsOf(folder, service.service.url, !isReported);
      // Repaired: without the service the next start shows the content, and has nothing to report. Records stay until they are uploaded.
      const isRecord = /^(?:plays|outbox)\//.test(file);
      const complaints = await complaintsOf(folder, nowhere);
      if (!isRecord) expect(complaints, `${how} ${file}`).toEqual([]);
      expect((await Identity.open(folder, silentLog)).thumbprint, file).toBe(thumbprint);
      await rm(folder, { recursive: true });
    }
  },
);
