// What a draft costs: reading and changing a playlist in drafts of different sizes, beside the same requests on what is published.
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { percentiles, printFigure } from "./lib.ts";

const sizes = [0, 1, 100, 1_000];
const rounds = Number(process.argv[2] ?? 100);

await using folder = await temporaryFolder();
await using service = await startService(join(folder.path, "service"));
const { url, token } = service.api;

async function ask(method: string, path: string, body?: object, more: Record<string, string> = {}): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...more };
  const answer = await fetch(`${url}/api/v1/${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string };
}

async function measure(work: (round: number) => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work(round);
    times.push(performance.now() - started);
  }
  return percentiles(times);
}

const items = Array.from({ length: 20 }, (_, place) => ({ type: "text", text: `Line ${place}`, duration_ms: 5_000 }));
const path = `playlists/${(await ask("POST", "playlists", { name: "Shown", items })).id}`;
for (const size of sizes) {
  const draft = size === 0 ? null : await ask("POST", "drafts", { name: `${size}` });
  const headers: Record<string, string> = draft === null ? {} : { "signage-draft": draft.id };
  await ask("PATCH", path, { name: `First ${size}` }, headers);
  const lines = Array.from({ length: Math.max(0, size - 1) }, (_, place) => `${size} ${place},text,Soup,5`);
  if (size > 1) await ask("POST", "playlists/import", { csv: ["playlist,type,text,duration", ...lines].join("\n") }, headers);
  const read = await measure(() => ask("GET", path, undefined, headers));
  const write = await measure((round) => ask("PATCH", path, { name: `Round ${size} ${round}` }, headers));
  printFigure("draft", { changes: size, read_p50_ms: read.p50, read_p99_ms: read.p99, write_p50_ms: write.p50, write_p99_ms: write.p99 });
}
