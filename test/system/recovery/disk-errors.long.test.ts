// A real player and a real service whose disk fails to read, by a library that is preloaded into them: nothing that they had is lost.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { failingCalls } from "../../support/failing-calls.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { plainImage } from "../../support/media/media.ts";
import { eventually } from "../../support/polling.ts";
import { Program, startPlayer, startService } from "../../support/programs/programs.ts";

const slow = { timeout: 300_000 };
const vital = ["identity.json", "copies/identity.json", "pairing.json", "copies/pairing.json"];

test.for([
  { what: "reads", calls: ["reads"] },
  { what: "reads and writes", calls: ["reads", "writes"] },
] as const)(
  "[DSK16] a real player with EIO on all $what at its start says so, and while running plays on; it is as before when the disk is healed",
  slow,
  async ({ calls }) => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "player");
    await using service = await startService(join(folder.path, "service"));
    const { api } = service;
    const image = { type: "image", asset_id: await api.upload("image.png", await plainImage([20, 160, 60])), duration_ms: 1_000 };
    const { layoutId } = await api.publish([image]);
    let playerId = "";
    {
      await using player = startPlayer(api.url, data);
      playerId = await api.pair(player, layoutId);
      await player.line("presented");
      await player.kill();
    }
    const contents = (): Promise<string[]> => Promise.all(vital.map((name) => readFile(join(data, name), "utf8")));
    const before = await contents();

    const disk = await failingCalls(folder.path, data);
    await disk.fail(...calls);
    await using player = startPlayer(api.url, data, undefined, [], disk.env);
    let exitCode: number | null | undefined;
    void player.exitCode.then((code) => (exitCode = code));
    const { reason } = await player.line("the disk cannot be read: waiting for it, and keeping what is there as it is");
    expect(reason).toContain("EIO");
    await player.line((line) => line.msg === "screen shown" && line["screen"] === "disk-unreadable");
    expect(exitCode).toBeUndefined();
    expect(await contents()).toEqual(before);
    await disk.heal();
    await player.line("the disk can be read again: starting from what it has");
    await player.line("presented");
    await eventually(async () => (await api.ok("GET", `players/${playerId}`))["status"] === "online");
    expect(await contents()).toEqual(before);

    // The same while it plays.
    await disk.fail(...calls);
    const presented = (): number => player.lines.filter(({ msg }) => msg === "presented").length;
    const shown = presented();
    await eventually(() => presented() >= shown + 5);
    await disk.heal();
    await player.stop("SIGKILL");
    await using again = startPlayer(api.url, data, undefined, [], disk.env);
    await again.line("presented");
    await again.line("connected");
    expect(await contents()).toEqual(before);
    for (const { lines } of [player, again]) expect(lines.filter(({ msg }) => msg === "pairing code")).toEqual([]);
  },
);

test(
  "[SFD1] a real service with EIO on all reads at its start ends with the reason, and has the same key and token afterwards",
  slow,
  async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "service");
    {
      await using _first = await startService(data);
    }
    const contents = (): Promise<string[]> =>
      Promise.all(["service-key.json", "admin-token"].map((name) => readFile(join(data, name), "utf8")));
    const before = await contents();
    const disk = await failingCalls(folder.path, data);
    await disk.fail("reads");
    await using failing = new Program(["src/main/cli.ts", "serve", "--port", "0", "--data", data], disk.env);
    expect(await failing.exitCode).toBe(1);
    expect(failing.output).toMatch(/EIO|disk I\/O error/);
    await disk.heal();
    await using again = await startService(data);
    expect((await again.api.call("GET", "players")).status).toBe(200);
    expect(await contents()).toEqual(before);
  },
);
