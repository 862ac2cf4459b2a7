// One process of the swarm: connects its players and reports their statistics on command.
import { SwarmPlayer, type SwarmStats } from "./player.ts";

/** A command from the parent. `take` reports and clears the lists; `count` reports only the counts. */
export type SwarmCommand = { is: "open"; url: string; tokens: string[]; atOnce: number } | { is: "count" } | { is: "take" };

const notes: SwarmStats = { attempts: [], welcomes: [], hints: [], states: [], commands: 0, gaps: 0, lost: 0, refused: 0, connected: 0 };

process.on("disconnect", () => process.exit(0));
process.on("message", (command: SwarmCommand) => {
  if (command.is === "open") void open(command);
  else if (command.is === "count") reportCounts();
  else {
    process.send!({ ...notes, hintCount: notes.hints.length, stateCount: notes.states.length });
    for (const list of [notes.attempts, notes.welcomes, notes.hints, notes.states]) list.length = 0;
  }
});

/** Connects all players, `atOnce` at a time, and reports when all are connected. */
async function open({ url, tokens, atOnce }: Extract<SwarmCommand, { is: "open" }>): Promise<void> {
  const rest = [...tokens];
  const lane = async (): Promise<void> => {
    for (let token = rest.pop(); token !== undefined; token = rest.pop()) await new SwarmPlayer(url, token, notes).start();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  reportCounts();
}

function reportCounts(): void {
  process.send!({
    ...notes,
    attempts: [],
    welcomes: [],
    hints: [],
    states: [],
    hintCount: notes.hints.length,
    stateCount: notes.states.length,
  });
}
