// Durable files on a real disk: damaged generations, and a process that is killed during a write.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { DurableFile } from "../../src/base/files/durable-file.ts";
import { recordDiskCalls } from "../support/disk.ts";
import { temporaryFolder } from "../support/folder.ts";

const asNumber = (json: unknown): number => {
  if (typeof json !== "number") throw new TypeError("not a number");
  return json;
};

test("[DUR1] a durable file returns the value that was written to it, and has mode 0600", async () => {
  await using folder = await temporaryFolder();
  const file = new DurableFile(join(folder.path, "deep/value.json"), asNumber);
  expect(await file.read()).toEqual({ is: "absent" });
  await file.write(1);
  await file.write(2);
  expect(await file.read()).toEqual({ is: "found", value: 2, isRecovered: false });
  expect((await stat(file.path)).mode & 0o777).toBe(0o600);
});

test.each([
  ["truncated", (path: string) => truncate(path, 20)],
  ["emptied", (path: string) => truncate(path, 0)],
  ["overwritten", (path: string) => writeFile(path, "x".repeat(100))],
  ["changed in one digit", async (path: string) => writeFile(path, (await readFile(path, "utf8")).replace(/2\n$/, "7\n"))],
])("[DUR2] if a file is %s, the previous generation is read and the read reports that", async (_how, damage) => {
  await using folder = await temporaryFolder();
  const file = new DurableFile(join(folder.path, "value.json"), asNumber);
  await file.write(1);
  await file.write(2);
  await damage(file.path);
  expect(await file.read()).toEqual({ is: "found", value: 1, isRecovered: true });
  // A write over the damaged file keeps the good previous generation.
  await file.write(3);
  expect(await readFile(`${file.path}.previous`, "utf8")).toMatch(/\n1\n$/);
});

test("[DUR3] a file whose two generations are both damaged causes a fault, not an empty value", async () => {
  await using folder = await temporaryFolder();
  const file = new DurableFile(join(folder.path, "value.json"), asNumber);
  await file.write(1);
  await file.write(2);
  await truncate(file.path, 3);
  await truncate(`${file.path}.previous`, 3);
  await expect(file.read()).rejects.toMatchObject({ code: "file-corrupt" });
});

test("[DUR4] kill -9 during a write leaves either the old value or the new one", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "value.json");
  const writer = `
    import { DurableFile } from ${JSON.stringify(new URL("../../src/base/files/durable-file.ts", import.meta.url).href)};
    const file = new DurableFile(${JSON.stringify(path)}, Number);
    const read = await file.read();
    let value = read.is === "found" ? read.value : 0;
    for (;;) { await file.write(++value); process.stdout.write(value + "\\n"); }
  `;
  let last = 0;
  for (let round = 0; round < 20; round += 1) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", writer], { stdio: ["ignore", "pipe", "inherit"] });
    let received = last;
    // Killed during a write, after a number of writes that differs in each round.
    await new Promise<void>((resolve) =>
      child.stdout.on("data", (lines: Buffer) => {
        received = Number(lines.toString().trim().split("\n").at(-1));
        if (received >= last + 1 + (round % 7)) resolve();
      }),
    );
    child.kill("SIGKILL");
    await once(child, "close");
    const read = await new DurableFile(path, asNumber).read();
    expect(read).toMatchObject({ is: "found", isRecovered: false });
    const value = read.is === "found" ? read.value : Number.NaN;
    // Every reported write is in the file, and at most one that was in progress.
    expect(value).toBeGreaterThanOrEqual(received);
    last = value;
  }
});

test("[DUR5] a write reaches the disk in order: bytes, then name; removals and new folders are durable too", async () => {
  await using folder = await temporaryFolder();
  const file = new DurableFile(join(folder.path, "new/deep/value.json"), asNumber);
  using disk = recordDiskCalls();
  await file.write(1);
  const inside = disk.calls.map((call) => ({ ...call, path: relative(folder.path, call.path) }));
  const rename = { is: "rename", from: `${file.path}.new`, path: "new/deep/value.json" };
  expect(inside).toEqual([
    { is: "sync", path: "new" },
    { is: "sync", path: "" },
    { is: "write", path: "new/deep/value.json.new" },
    { is: "sync", path: "new/deep/value.json.new" },
    rename,
    { is: "sync", path: "new/deep" },
  ]);
  disk.calls.length = 0;
  await file.write(2);
  expect(disk.calls.filter(({ path }) => !path.endsWith(".previous")).map(({ is, path }) => [is, relative(folder.path, path)])).toEqual([
    ["write", "new/deep/value.json.new"],
    ["sync", "new/deep/value.json.new"],
    ["rename", "new/deep/value.json"],
    ["sync", "new/deep"],
  ]);
  disk.calls.length = 0;
  await file.remove();
  expect(disk.calls.at(-1)).toEqual({ is: "sync", path: join(folder.path, "new/deep") });
});
