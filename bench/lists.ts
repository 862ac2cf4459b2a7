// The time of a page at the start and at the end of a long list. Keyset paging should make them equal.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { printFigure, percentiles } from "./lib.ts";
import { fillDataFolder } from "./stored.ts";

const depth = 3_000;
const limit = 25;
const samples = 400;

await using folder = await temporaryFolder();
const data = join(folder.path, "data");
await mkdir(data);
await fillDataFolder(data, (depth + 200) * limit, 0);
await using service = await startService(data);
const { api } = service;

async function page(cursor: string | null): Promise<string | null> {
  const { next_cursor } = await api.ok("GET", `assets?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`);
  return next_cursor as string | null;
}

let far: string | null = null;
for (let place = 1; place < depth; place += 1) {
  far = await page(far);
  if (far === null) throw new Error(`the list ended at page ${place}`);
}
const first = await page(null);
const times: Record<"near" | "far", number[]> = { near: [], far: [] };
for (let sample = 0; sample < samples; sample += 1) {
  for (const [name, cursor] of [
    ["near", first],
    ["far", far],
  ] as const) {
    const started = performance.now();
    await page(cursor);
    times[name].push(performance.now() - started);
  }
}
printFigure("page 2 of a list, ms", percentiles(times.near));
printFigure(`page ${depth} of a list, ms`, percentiles(times.far));
const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
printFigure(`page ${depth} against page 2`, { aim_ratio: 1.2, ratio: Number((median(times.far) / median(times.near)).toFixed(2)) });
