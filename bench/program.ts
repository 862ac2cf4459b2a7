// Measures program changes on a running player: wrong pictures during a change, and lateness.
import { type BoundaryKind, boundaryKinds, publishBoundaries, watchBoundaries } from "../test/support/browser/program-boundaries.ts";
import type { Framebuffer } from "../test/support/browser/framebuffer.ts";
import { startMixedSite } from "../test/support/browser/mixed-loop.ts";
import type { Api, Program } from "../test/support/programs/programs.ts";
import { printFigure, percentiles } from "./lib.ts";

interface Running {
  api: Api;
  player: Program;
  playerId: string;
  framebuffer: Framebuffer;
}

/** Makes `wanted` program changes, equally many of each kind, with items of `slotMs`, and prints the figures. Replaces the player's layout. */
export async function measureProgramChanges(
  running: Running,
  wanted: number,
  slotMs: number,
  kinds: readonly BoundaryKind[] = boundaryKinds,
) {
  const { api, player, playerId, framebuffer } = running;
  await using site = await startMixedSite();
  const layouts = await publishBoundaries(api, site, slotMs);
  await api.ok("PATCH", `players/${playerId}`, { layout_id: layouts.even });
  for (const kind of kinds) {
    const from = player.lines.length;
    const judge = await watchBoundaries({ api, playerId, framebuffer, layouts, slotMs }, kind, Math.ceil(wanted / kinds.length));
    const { changes, blankMs, foreignMs, stale, lateMs, seen, unexpected: wrong } = judge;
    const faults = player.lines.slice(from).filter(({ msg }) => /could not be shown|reports a fault/.test(msg));
    const about = { blank_ms: Math.round(blankMs), foreign_ms: Math.round(foreignMs), stale, faults: faults.length };
    printFigure(`changes of program: ${kind}`, { changes, ...about });
    for (const line of faults.slice(0, 5)) printFigure(`changes of program: ${kind}, fault`, { line: JSON.stringify(line) });
    if (lateMs.length > 0) printFigure(`changes of program: ${kind}, on screen after its instant, ms`, percentiles(lateMs));
    printFigure(`changes of program: ${kind}, plays seen`, Object.fromEntries(seen));
    for (const sight of wrong) printFigure(`changes of program: ${kind}, wrong sight`, { sight });
  }
}
