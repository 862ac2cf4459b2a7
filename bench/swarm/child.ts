// One process of the swarm: connects its players and reports their statistics on command.
import { SwarmPlayer, type SwarmStats } from "./player.ts";

/**
 * A command from the parent. `take` reports and clears the lists; `count` reports only the counts; `beat` sends heartbeats for `ms` as fast
 * as they are answered, `atOnce` at a time, and reports the counts.
 */
export type SwarmCommand =
  | { is: "open"; url: string; tokens: string[]; atOnce: number }
  | { is: "count" }
  | { is: "take" }
  | { is: "beat"; ms: number; atOnce: number };

const lists = { attempts: [], welcomes: [], hints: [], states: [], commandTimes: [], answers: [] };
const notes: SwarmStats = { ...lists, commands: 0, gaps: 0, lost: 0, refused: 0, connected: 0 };
const players: SwarmPlayer[] = [];

process.on("disconnect", () => process.exit(0));
process.on("message", (command: SwarmCommand) => {
  if (command.is === "open") void open(command);
  else if (command.is === "beat") void beat(command);
  else if (command.is === "count") reportCounts();
  else {
    process.send!({ ...notes, hintCount: notes.hints.length, stateCount: notes.states.length });
    for (const list of Object.values(lists)) list.length = 0;
  }
});

/** Connects all players, `atOnce` at a time, and reports when all are connected. */
async function open({ url, tokens, atOnce }: Extract<SwarmCommand, { is: "open" }>): Promise<void> {
  const rest = [...tokens];
  const lane = async (): Promise<void> => {
    for (let token = rest.pop(); token !== undefined; token = rest.pop()) {
      const player = new SwarmPlayer(url, token, notes);
      players.push(player);
      await player.start();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  reportCounts();
}

/** Lets the players send heartbeats in turn. */
async function beat({ ms, atOnce }: Extract<SwarmCommand, { is: "beat" }>): Promise<void> {
  const end = performance.now() + ms;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < end) await players[(next += 1) % players.length]!.beat();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  reportCounts();
}

function reportCounts(): void {
  const empty = { attempts: [], welcomes: [], hints: [], states: [], commandTimes: [], answers: [] };
  process.send!({ ...notes, ...empty, hintCount: notes.hints.length, stateCount: notes.states.length });
}
