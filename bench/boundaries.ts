// Changes of program on the real screen, by schedule, interrupt, override and on a wall: what else was seen, and how late they came.
import { join } from "node:path";
import { type BoundaryKind, boundaryKinds, publishBoundaries, watchBoundaries } from "../test/support/boundaries.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startMixedSite } from "../test/support/mixed-loop.ts";
import { startPlayer, startService } from "../test/support/programs.ts";
import { startXvfb } from "../test/support/xvfb.ts";
import { figure, spread } from "./lib.ts";

const wanted = Number(process.argv[2] ?? 1_000);
const slotMs = Number(process.argv[3] ?? 2_000);
const height = Number(process.argv[4] ?? 1_080);
const kinds = (process.argv[5]?.split(",") as BoundaryKind[] | undefined) ?? boundaryKinds;

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: (height * 16) / 9, height });
await using site = await startMixedSite();
await using service = await startService(join(folder.path, "service"));
const { api } = service;
const layouts = await publishBoundaries(api, site, slotMs);
await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
const playerId = await api.pair(player, layouts.even);
await player.line("presented");

for (const kind of kinds) {
  const from = player.lines.length;
  const watched = { api, playerId, framebuffer: xvfb.framebuffer, layouts, slotMs };
  const judge = await watchBoundaries(watched, kind, Math.ceil(wanted / kinds.length));
  const { changes, blankMs, foreignMs, stale, lateMs, seen, wrong } = judge;
  const faults = player.lines.slice(from).filter(({ msg }) => /could not be shown|reports a fault/.test(msg)).length;
  figure(`changes of program: ${kind}`, { changes, blank_ms: Math.round(blankMs), foreign_ms: Math.round(foreignMs), stale, faults });
  if (lateMs.length > 0) figure(`changes of program: ${kind}, on screen after its instant, ms`, spread(lateMs));
  figure(`changes of program: ${kind}, plays seen`, Object.fromEntries(seen));
  for (const sight of wrong) figure(`changes of program: ${kind}, wrong sight`, { sight });
}
