// The brightness of built-in panels, by the kernel's backlight files.
import { constants } from "node:fs";
import { access, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Fault } from "../../../base/fault.ts";
import type { Control } from "../../../player/machine-controls.ts";
import { common, forEach } from "./tools.ts";

interface Backlight {
  folder: string;
  most: number;
}

/** Null without a backlight that this user may change. */
export async function probeBacklight(root: string): Promise<Control<number> | null> {
  const parent = join(root, "sys/class/backlight");
  const candidates = await Promise.all((await readdir(parent).catch(() => [])).map((name) => openBacklight(join(parent, name))));
  const backlights = candidates.filter((each) => each !== null);
  if (backlights.length === 0) return null;
  return {
    by: "backlight",
    set: (percent) =>
      forEach(backlights, async ({ folder, most }) => {
        await writeFile(join(folder, "brightness"), String(Math.round((percent / 100) * most))).catch((error: unknown) => {
          throw new Fault("not-applied", "the backlight cannot be changed", { cause: error });
        });
      }),
    read: async () => common(await Promise.all(backlights.map(percentOf))),
  };
}

async function openBacklight(folder: string): Promise<Backlight | null> {
  const most = await readNumber(join(folder, "max_brightness"));
  const isWritable = await access(join(folder, "brightness"), constants.W_OK).then(
    () => true,
    () => false,
  );
  return most !== null && most > 0 && isWritable ? { folder, most } : null;
}

async function percentOf({ folder, most }: Backlight): Promise<number | null> {
  // The brightness of the hardware; not all drivers report it.
  const now = (await readNumber(join(folder, "actual_brightness"))) ?? (await readNumber(join(folder, "brightness")));
  return now === null ? null : Math.min(100, Math.round((now / most) * 100));
}

async function readNumber(file: string): Promise<number | null> {
  const text = (await readFile(file, "utf8").catch(() => "")).trim();
  return /^[0-9]+$/.test(text) ? Number(text) : null;
}
