// Damages each file that a paired, playing player keeps, and starts it again: the real player and service, on a fake host.
import { chmod, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Identity } from "../../src/player/pairing/identity.ts";
import { silentLog } from "../../src/base/log.ts";
import { damages } from "../support/damages.ts";
import { TestPlayer } from "../support/player.ts";
import { waitUntil } from "../support/polling.ts";
import { nowhere, PlayedFolder } from "./played-folder.ts";

/** The log's level of warnings. */
const warning = 40;
const aboutNetwork = /unreachable|could not be (?:delivered|fetched)/;

const harms: typeof damages = [...damages, ["made read-only", (path) => chmod(path, 0o400)]];

let played: PlayedFolder;

beforeAll(async () => {
  played = await PlayedFolder.create();
  const undamaged = await played.copyOf("undamaged");
  for (const server of [played.service.service.url, nowhere]) expect(await complaintsOf(undamaged, server)).toEqual([]);
}, 60_000);

afterAll(() => played[Symbol.asyncDispose]());

/** Starts the player on `folder`, waits until it shows the item and, unless `isQuiet`, complains about the disk. Stops it. */
async function complaintsOf(folder: string, server: string, isQuiet = true): Promise<string[]> {
  await using player = new TestPlayer(folder, () => server, played.clock);
  const complaints = (): string[] =>
    player.lines.filter(({ level, msg }) => Number(level) >= warning && !aboutNetwork.test(msg)).map(({ msg }) => msg);
  const shown = async (): Promise<void> => {
    await waitUntil(`the item of ${folder} is shown`, () => played.presents(player), 30_000);
    await player.line(server === nowhere ? "the service is unreachable" : "connected");
    if (!isQuiet) await waitUntil(`the damage of ${folder} is reported`, () => complaints().length > 0, 30_000);
  };
  await Promise.race([shown(), player.ended.then((end) => expect.fail(`the player ended: ${String(end)}`))]);
  expect(player.host.scenes.filter(({ screen }) => screen.is === "pairing")).toEqual([]);
  return complaints();
}

/** Whether the player needs this file as long as the others are whole. */
function isNeeded(file: string): boolean {
  const isOlderContent = /^content\/[0-9a-f]{64}$/.test(file) && !file.endsWith(played.sha256);
  return !file.endsWith(".previous") && !isOlderContent;
}

test.for(harms)(
  "[DSK12] a player any of whose files is %s while it is stopped keeps its pairing, shows its content, reports and repairs it",
  async ([how, damage]) => {
    expect(played.files.length).toBeGreaterThan(15);
    for (const file of played.files) {
      const folder = await played.copyOf(`${how} ${file.replaceAll("/", " ")}`);
      await damage(join(folder, file));
      // A missing file may never have been there, and one that only cannot be written is replaced.
      // The end of a play log or an audit log that is missing is no damage: a power loss leaves the same.
      const isLog = file.endsWith(".plays") || file.endsWith(".jsonl");
      const isReported = isNeeded(file) && !["deleted", "made read-only"].includes(how) && !(how === "truncated" && isLog);
      await complaintsOf(folder, played.service.service.url, !isReported);
      // Repaired: without the service the next start shows the content, and has nothing to report. Records stay until they are uploaded.
      const isRecord = /^(?:plays|outbox)\//.test(file);
      const complaints = await complaintsOf(folder, nowhere);
      if (!isRecord) expect(complaints, `${how} ${file}`).toEqual([]);
      expect((await Identity.open(folder, silentLog)).thumbprint, file).toBe(played.thumbprint);
      await rm(folder, { recursive: true });
    }
  },
);
