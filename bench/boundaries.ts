// A thousand program changes on a real screen, by schedule, interrupt, override and on a video wall: wrong pictures and lateness.
import { join } from "node:path";
import { type BoundaryKind, boundaryKinds } from "../test/support/browser/program-boundaries.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { startPlayer, startService } from "../test/support/programs/programs.ts";
import { startXvfb } from "../test/support/browser/xvfb.ts";
import { measureProgramChanges } from "./program.ts";

const wanted = Number(process.argv[2] ?? 1_000);
const slotMs = Number(process.argv[3] ?? 2_000);
const height = Number(process.argv[4] ?? 1_080);
// For example `schedule,wall`.
const requested = process.argv[5]?.split(",") ?? boundaryKinds;

await using folder = await temporaryFolder();
await using xvfb = await startXvfb({ width: (height * 16) / 9, height });
await using service = await startService(join(folder.path, "service"));
const { api } = service;
await using player = startPlayer(api.url, join(folder.path, "player"), xvfb.display);
const playerId = await api.pair(player);
const kinds = boundaryKinds.filter((kind: BoundaryKind) => requested.includes(kind));
await measureProgramChanges({ api, player, playerId, framebuffer: xvfb.framebuffer }, wanted, slotMs, kinds);
