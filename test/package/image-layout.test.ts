import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { layOut, sgdiskArguments } from "../../scripts/image/layout.ts";

const mebibyte = 2 ** 20;

test("[IMG1] the image's partitions follow each other at whole mebibytes, and the one for data is the last", () => {
  const { esp, root, data, size } = layOut(6_144);
  const inOrder = [esp, root, data];
  for (const { offset, size: length } of inOrder) expect([offset % mebibyte, length % mebibyte]).toEqual([0, 0]);
  // The table itself lies in front.
  expect(esp.offset).toBe(mebibyte);
  expect(root.offset).toBe(esp.offset + esp.size);
  expect(data.offset).toBe(root.offset + root.size);
  expect(root.size).toBe(6_144 * mebibyte);
  // The table's copy is at the end.
  expect(size).toBeGreaterThanOrEqual(data.offset + data.size + 34 * 512);
  // Firmware may read a smaller file system as FAT16.
  expect(esp.size).toBeGreaterThan(33 * mebibyte);
});

test("[IMG2] a system's partition that is too small for a system is refused", () => {
  for (const size of [0, 2_047, 4_000.5, Number.NaN]) expect(() => layOut(size), String(size)).toThrow(RangeError);
});

test.skipIf(!hasSgdisk())("[IMG3] sgdisk writes the table: types and names of the partitions", async () => {
  const folder = await mkdtemp(join(tmpdir(), "signage-image-"));
  try {
    const image = join(folder, "image");
    const layout = layOut(2_048);
    await using file = await open(image, "w");
    await file.truncate(layout.size);
    execFileSync("sgdisk", sgdiskArguments(layout, image), { stdio: "ignore" });
    const lines = execFileSync("sgdisk", ["--print", image], { encoding: "utf8" }).trim().split("\n").slice(-3);
    const fields = lines.map((line) => line.trim().split(/\s+/));
    expect(fields.map((each) => [each[0], Number(each[1]) * 512, each.at(-2), each.at(-1)])).toEqual([
      ["1", layout.esp.offset, "EF00", "signage-esp"],
      ["2", layout.root.offset, "8304", "signage-root"],
      ["3", layout.data.offset, "8300", "signage-data"],
    ]);
    execFileSync("sgdisk", ["--verify", image], { stdio: "ignore" });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

function hasSgdisk(): boolean {
  try {
    execFileSync("sgdisk", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
