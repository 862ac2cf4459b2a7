// One process of the swarm: opens its players when told to, and tells what they noted when asked.
import { SwarmPlayer, type SwarmStats } from "./player.ts";

/** What the parent asks. `take` empties the lists. */
export type SwarmCommand = { is: "open"; url: string; tokens: string[]; atOnce: number } | { is: "count" } | { is: "take" };

const notes: SwarmStats = { attempts: [], welcomes: [], hints: [], states: [], commands: 0, gaps: 0, lost: 0, refused: 0, connected: 0 };

process.on("disconnect", () => process.exit(0));
process.on("message", (ask: SwarmCommand) => {
  if (ask.is === "open") void open(ask);
  else if (ask.is === "count") tellCounts();
  else {
    process.send!({ ...notes, heard: notes.hints.length, had: notes.states.length });
    for (const list of [notes.attempts, notes.welcomes, notes.hints, notes.states]) list.length = 0;
  }
});

/** Opens one after the other on so many lanes, and answers when all were welcomed. */
async function open({ url, tokens, atOnce }: Extract<SwarmCommand, { is: "open" }>): Promise<void> {
  const rest = [...tokens];
  const lane = async (): Promise<void> => {
    for (let token = rest.pop(); token !== undefined; token = rest.pop()) await new SwarmPlayer(url, token, notes).start();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  tellCounts();
}

function tellCounts(): void {
  process.send!({ ...notes, attempts: [], welcomes: [], hints: [], states: [], heard: notes.hints.length, had: notes.states.length });
}
