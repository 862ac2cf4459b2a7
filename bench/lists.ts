// The time of a page at the start and at the end of a long list, which keyset paging should make equal, and the bytes of the longest page.
import { mkdir } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { temporaryFolder } from "../test/support/folder.ts";
import { startService } from "../test/support/programs/programs.ts";
import { printFigure, percentiles } from "./lib.ts";
import { fillDataFolder } from "./stored.ts";

const depth = 3_000;
const limit = 25;
const samples = 400;
const rosterRows = 1_000;

await using folder = await temporaryFolder();
const data = join(folder.path, "data");
await mkdir(data);
await fillDataFolder(data, (depth + 200) * limit, rosterRows);
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
await measureRoster();

/** A page of the roster as a browser on a LAN (gzip), over https (br) and a client without compression reads it. */
async function measureRoster(): Promise<void> {
  const figures: Record<string, number> = {};
  for (const coding of ["identity", "gzip", "br"]) {
    const times: number[] = [];
    for (let sample = 0; sample < 20; sample += 1) {
      const started = performance.now();
      const headers = { authorization: `Bearer ${api.token}`, "accept-encoding": coding };
      const bytes = await new Promise<Buffer>((resolve, reject) => {
        get(`${api.url}/api/v1/players/roster?limit=${rosterRows}`, { headers }, (response) => buffer(response).then(resolve, reject));
      });
      times.push(performance.now() - started);
      figures[`${coding}_kb`] = Math.round(bytes.length / 1_000);
    }
    figures[`${coding}_ms`] = Math.round(median(times));
  }
  printFigure(`${rosterRows} rows of the roster`, figures);
}
