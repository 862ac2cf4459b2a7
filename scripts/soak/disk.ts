// The soak part `disk`: a player on a disk of 64 MB that is full in each phase of its work. The player never ends, its content stays,
// and everything works again when there is room.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/folder.ts";
import { chromiumProcesses } from "../../test/support/programs/chromium-processes.ts";
import { type Api, type Program, startPlayer, startService } from "../../test/support/programs/programs.ts";
import { type SmallDisk, smallDisk } from "../../test/support/small-disk.ts";
import { noisePicture } from "./load.ts";
import type { SoakPart, SoakRun } from "./soak-run.ts";

const megabytes = 64;
const limitMs = 90_000;
// A full disk once ended the player when its play log began a new file, after 58 s.
const rotationMs = 75_000;
// Content that does not stop: an item of a second may be late on a busy machine.
const stillMs = 10_000;

/** A player on a small disk that is about to be filled. */
interface Stage {
  api: Api;
  run: SoakRun;
  player: Program;
  /** Empty until the player is paired. */
  playerId: string;
  playlistId: string;
  items: object[];
}

/** What happens while the disk is full, by phase. */
const phases: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  play: async ({ player, run }) => {
    for (const pid of await chromiumProcesses(player, "browser")) process.kill(pid, "SIGKILL");
    await nextLine(run, player, "browser started");
  },
  download: async ({ api, run, player, playlistId, items }) => {
    const asset_id = await api.upload("noise.png", await noisePicture(1_280, 720));
    await api.ok("PATCH", `playlists/${playlistId}`, { items: [...items, { type: "image", asset_id, duration_ms: 1_000 }] });
    await nextLine(run, player, "there is no room for the newest content");
  },
  command: async ({ api, run, playerId }) => {
    const { status, error } = await api.command(playerId, "identify");
    const { code } = (error ?? {}) as { code?: string };
    if (status !== "failed" || code !== "not-recorded") run.violate(`a command on a full disk: ${String(status)}, ${String(code)}`);
  },
  "log rotation": async ({ run }) => run.pause(rotationMs),
};

export const disk: SoakPart = {
  about: `a disk of ${megabytes} MB that is full in each phase: pairing, play, download, command, log rotation`,
  unit: "rounds through the phases",
  usual: 10,
  async run(run) {
    await using probe = await smallDisk(megabytes);
    if (probe === null) return "only root can mount a small disk";
    for (let round = 1; round <= run.amount; round += 1) {
      await using folder = await temporaryFolder();
      await using small = (await smallDisk(megabytes))!;
      const service = await startService(join(folder.path, "service"));
      await using _service = service;
      await playRound(run, round, service.api, small);
    }
    return null;
  },
};

async function playRound(run: SoakRun, round: number, api: Api, small: SmallDisk): Promise<void> {
  // The browser's own user can enter the folder, so the browser's profile is on this disk too.
  const playerFolder = join(small.path, "player");
  await mkdir(playerFolder, { mode: 0o711 });
  const items = [{ type: "image", asset_id: await api.upload("noise.png", await noisePicture(640, 360)), duration_ms: 1_000 }];
  const { playlistId, layoutId } = await api.publish(items);
  await small.fill();
  await using player = startPlayer(api.url, playerFolder);
  let ended = false;
  void player.exitCode.then(() => (ended = true));
  const stage: Stage = { api, run, player, playerId: "", playlistId, items };
  await run.try({ round, phase: "pairing" }, async () => {
    await run.until("a code is shown on a full disk", () => player.lines.some(({ msg }) => msg === "pairing code"), limitMs);
    stage.playerId = await api.pair(player, layoutId);
    await small.free();
    const from = performance.now();
    await nextLine(run, player, "presented");
    return performance.now() - from;
  });
  for (const [phase, act] of Object.entries(phases)) {
    await run.try({ round, phase }, async () => {
      const from = player.lines.length;
      await small.fill();
      await act(stage);
      await nextLine(run, player, "presented");
      judgePresented(stage, from, phase);
      if (player.lines.slice(from).some(({ msg }) => msg === "connection lost")) run.violate(`${phase}: the connection was lost`);
      await small.free();
      const freed = performance.now();
      const works = async (): Promise<boolean> =>
        (await api.command(stage.playerId, "identify", { duration_ms: 1_000 }))["status"] === "succeeded";
      await run.until("a command succeeds again", works, limitMs);
      return performance.now() - freed;
    });
    if (ended) return run.violate(`${phase}: the player ended: ${player.output.slice(-1_000)}`);
    await small.free();
  }
}

/** Content must not stop, except while a killed browser is replaced. */
function judgePresented({ run, player }: Stage, from: number, phase: string): void {
  const times = player.lines.slice(from).flatMap((line) => (line.msg === "presented" ? [Date.parse(String(line["presented_at"]))] : []));
  const longest = Math.max(0, ...times.slice(1).map((at, index) => at - times[index]!));
  if (longest > stillMs) run.violate(`${phase}: no item began for ${longest} ms`);
}

async function nextLine(run: SoakRun, player: Program, message: string): Promise<void> {
  const from = player.lines.length;
  await run.until(message, () => player.lines.slice(from).some(({ msg }) => msg === message), limitMs);
}
