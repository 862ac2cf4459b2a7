// The disk of a paired, playing player fails to read or write its files, and is healed: nothing that it had is lost.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { silentLog } from "../../src/base/log.ts";
import { Identity } from "../../src/player/pairing/identity.ts";
import { failDisk, failureCodes } from "../support/failing-disk.ts";
import { TestPlayer } from "../support/player.ts";
import { waitUntil } from "../support/polling.ts";
import { filesIn, nowhere, PlayedFolder } from "./played-folder.ts";

let played: PlayedFolder;
/** Every file's content before the fault. */
let before: Map<string, string>;

beforeAll(async () => {
  played = await PlayedFolder.create();
  before = await contentOf(played.whole);
}, 60_000);

afterAll(() => played[Symbol.asyncDispose]());

async function contentOf(folder: string): Promise<Map<string, string>> {
  const files = await filesIn(folder);
  return new Map(await Promise.all(files.map(async (name) => [name, await readFile(join(folder, name), "latin1")] as const)));
}

/** Moves the clock until the condition holds, or the player ends. */
async function untilPlayer(player: TestPlayer, what: string, condition: () => boolean): Promise<void> {
  let ended: string | null = null;
  void player.ended.then((end) => (ended = String(end)));
  await waitUntil(what, () => {
    if (ended !== null) expect.fail(`${what}: the player ended: ${ended}`);
    played.clock.advance(500);
    player.host.presentDue();
    return condition();
  });
}

/** Starts the player on the healed folder: it shows its item without the service, and reports nothing. */
async function expectUnharmed(folder: string): Promise<void> {
  await using player = new TestPlayer(folder, () => nowhere, played.clock);
  await untilPlayer(player, `the item of ${folder} is shown after the disk is healed`, () => player.host.presented.includes(played.item));
  expect(player.host.scenes.filter(({ screen }) => screen.is === "pairing" || screen.is === "disk-unreadable")).toEqual([]);
  expect(
    player.lines
      .filter(({ msg }) => msg.includes("damaged") || msg.includes("lost"))
      .map(({ msg, file, reason }) => ({ msg, file, reason })),
  ).toEqual([]);
}

/** The key, the pairing, the settings, the content and the records are those of before the fault. */
async function expectNothingLost(folder: string): Promise<void> {
  const after = await contentOf(folder);
  expect((await Identity.open(folder, silentLog)).thumbprint).toBe(played.thumbprint);
  expect([...after.keys()].filter((name) => name.endsWith(".damaged"))).toEqual([]);
  const kept = /^(?:copies\/)?(?:identity|pairing)\.json|^(?:desired|records)\.json$|^content\/[0-9a-f]{64}$|^outbox\/\d+-result/;
  for (const [name, text] of before) {
    // Files of records go on where they were; a new run begins another file.
    if (name.endsWith(".plays") || name.endsWith(".jsonl")) expect([name, after.get(name)?.startsWith(text)]).toEqual([name, true]);
    else if (kept.test(name)) expect([name, after.get(name)]).toEqual([name, text]);
    else if (name === "commands.json") expect(idsIn(after.get(name)!)).toEqual(idsIn(text));
  }
}

function idsIn(journal: string): string[] {
  return journal.match(/cmd_\w{26}/g) ?? [];
}

test.for(failureCodes)(
  "[DSK13] with %s on any one file a player plays what it can, shows no pairing code, and has all that it had after it is healed",
  { timeout: 300_000 },
  async (code) => {
    expect(played.files.length).toBeGreaterThan(15);
    for (const file of played.files) {
      const folder = await played.copyOf(`one ${code} ${file.replaceAll("/", " ")}`);
      const failing = failDisk("read", code, (path) => path === join(folder, file));
      {
        using _ = failing;
        await using player = new TestPlayer(folder, () => nowhere, played.clock);
        // Only the file of the content itself is needed to show it.
        if (file.endsWith(played.sha256)) await untilPlayer(player, `${file} is read`, () => failing.failures > 1);
        else await untilPlayer(player, `the item is shown without ${file}`, () => player.host.presented.includes(played.item));
        const from = player.host.presented.length;
        failing.heal();
        const isReported = player.lines.some(({ msg }) => msg.startsWith("the disk cannot be read"));
        if (isReported)
          await untilPlayer(player, `${file} is read again`, () => player.lines.some(({ msg }) => msg === "the disk can be read again"));
        await untilPlayer(player, `the item goes on after ${file} is healed`, () =>
          player.host.presented.slice(from).includes(played.item),
        );
        expect(player.host.scenes.filter(({ screen }) => screen.is === "pairing")).toEqual([]);
      }
      await expectNothingLost(folder);
      await expectUnharmed(folder);
    }
  },
);

test.for(failureCodes)(
  "[DSK14] while reads of the whole folder fail with %s the screen says so, and nothing is created or lost",
  async (code) => {
    const folder = await played.copyOf(`all ${code}`);
    const failing = failDisk("read", code, (path) => path.startsWith(folder));
    {
      using _ = failing;
      await using player = new TestPlayer(folder, () => nowhere, played.clock);
      await untilPlayer(player, "the screen says it", () => player.host.scene?.screen.is === "disk-unreadable");
      expect(player.host.scene?.screen).toMatchObject({ trouble: { code: "disk", text: expect.stringContaining(code) } });
      expect(player.host.scenes.filter(({ screen }) => screen.is === "pairing")).toEqual([]);
      const identity = await failing.outside(() => stat(join(folder, "identity.json")));
      expect(identity.isFile()).toBe(true);
      failing.heal();
      let end: unknown = null;
      void player.ended.then((each) => (end = each));
      await waitUntil("the player starts again", () => {
        played.clock.advance(500);
        return end !== null;
      });
      expect(end).toBe("restart");
    }
    await expectNothingLost(folder);
    await expectUnharmed(folder);
  },
);

test.for(failureCodes)(
  "[DSK15] while the whole disk fails with %s a running player plays on, and has all that it had when it is healed",
  async (code) => {
    const folder = await played.copyOf(`running ${code}`);
    {
      await using player = new TestPlayer(folder, () => nowhere, played.clock);
      await untilPlayer(player, "the item is shown", () => player.host.presented.includes(played.item));
      using failing = failDisk("both", code, (path) => path.startsWith(folder));
      const from = player.host.presented.length;
      const until = played.clock.monotonic() + 120_000;
      await untilPlayer(player, "two minutes pass", () => played.clock.monotonic() > until);
      expect(player.host.presented.slice(from)).toContain(played.item);
      failing.heal();
      const healed = played.clock.monotonic() + 60_000;
      await untilPlayer(player, "a minute passes", () => played.clock.monotonic() > healed);
      expect(player.host.scenes.filter(({ screen }) => screen.is === "pairing" || screen.is === "disk-unreadable")).toEqual([]);
    }
    await expectNothingLost(folder);
    await expectUnharmed(folder);
  },
);
