// Reads all pages of a list, again if no node answers.
import { setTimeout as pause } from "node:timers/promises";
import type { Json, LoadClient } from "./client.ts";

const againMs = 500;

export async function readAll(client: LoadClient, chooseUrl: () => string, path: string, signal: AbortSignal): Promise<Json[]> {
  const all: Json[] = [];
  for (let cursor = ""; ;) {
    const outcome = await client.send(chooseUrl(), { method: "GET", path: `${path}?limit=100${cursor}` });
    if (outcome.is !== "answered" || outcome.status !== 200) {
      if (outcome.is === "answered" && outcome.status < 500) throw new Error(`GET ${path}: ${outcome.status}`);
      await pause(againMs, undefined, { signal });
      continue;
    }
    const { data, next_cursor } = outcome.body as { data: Json[]; next_cursor: string | null };
    all.push(...data);
    if (next_cursor === null) return all;
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
}
