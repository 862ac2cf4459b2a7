// A real player in a process of its own whose clock only advances when the parent says so, with a page that presents at once.
// Started by `SimulatedPlayer.start`; talks to its parent by messages.
import { getActiveResourcesInfo } from "node:process";
import { readdirSync } from "node:fs";
import { FakeClock } from "../../test/support/clock.ts";
import { TestPlayer } from "../../test/support/player.ts";

/** Advances the clock, sets the service's address, or asks for the state; each is answered by a {@link Report}. */
export interface Order {
  advanceMs: number;
  server: string;
  /** Waits until the player knows that the page has presented an item. */
  showsNext: boolean;
  /** Collects garbage first and measures memory and handles. */
  measure: boolean;
}

/** What the player has done so far. */
export interface Report {
  presented: number;
  code: string | null;
  /** Whether content of a layout is on screen. */
  isPlaying: boolean;
  measured: { rssKb: number; heapKb: number; handles: number; files: number } | null;
}

// A page that is silent for 15 s counts as hung.
const stepMs = 10_000;
// Enough for the player's files and sockets on this machine.
const settleTurns = 20;
const showLimitMs = 5_000;

const [folder, wall, server] = process.argv.slice(2) as [string, string, string];
const clock = new FakeClock(Number(wall));
let address = server;
const player = new TestPlayer(folder, () => address, clock);
let presented = 0;

process.on("message", (order: Order) => {
  address = order.server;
  void obey(order);
});
process.on("disconnect", () => process.exit(1));

async function obey({ advanceMs, showsNext, measure }: Order): Promise<void> {
  for (let left = advanceMs; left > 0; left -= stepMs) {
    clock.advance(Math.min(left, stepMs));
    player.host.presentDue();
    await settle(showsNext && left <= stepMs);
  }
  presented += countPresented();
  // The records that tests read would grow for ever.
  player.lines.length = 0;
  player.host.presented.length = 0;
  player.host.scenes.splice(0, player.host.scenes.length - 1);
  const screen = player.host.scene?.screen;
  const code = screen?.is === "pairing" ? screen.code : null;
  const report: Report = { presented, code, isPlaying: screen?.is === "stage", measured: measure ? measureNow() : null };
  process.send!(report);
}

/** Lets the player react, which takes real time. With `showsNext` until it knows that the page has presented an item. */
async function settle(showsNext: boolean): Promise<void> {
  const end = performance.now() + showLimitMs;
  for (let turn = 0; turn < settleTurns || (showsNext && countPresented() === 0 && performance.now() < end); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The items presented since the last report, by the player's log. */
function countPresented(): number {
  return player.lines.filter(({ msg }) => msg === "presented").length;
}

function measureNow(): NonNullable<Report["measured"]> {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const files = readdirSync("/proc/self/fd").length;
  return { rssKb: Math.round(rss / 1_024), heapKb: Math.round(heapUsed / 1_024), handles: getActiveResourcesInfo().length, files };
}
