// Finds the mounted file system that holds a folder, and its disk.
import { access, readdir, readFile, readlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

export interface Mount {
  /** The kernel's numbers of the device, such as `179:2`. */
  device: string;
  path: string;
  type: string;
  /** Such as `/dev/mmcblk0p2`. */
  source: string;
  isReadOnly: boolean;
}

export interface BlockDevice {
  /** The part of the disk that has the file system, such as `mmcblk0p2`. */
  part: string;
  /** Such as `mmcblk0`. */
  disk: string;
}

/** The file system that holds `folder`; null if it is unknown. @param root the folder that has `proc`. */
export async function mountOf(root: string, folder: string): Promise<Mount | null> {
  const text = await readFile(join(root, "proc/self/mountinfo"), "utf8").catch(() => "");
  const mounts = text.split("\n").flatMap((line) => mountIn(line) ?? []);
  const holding = mounts.filter(({ path }) => path === "/" || folder === path || folder.startsWith(`${path}/`));
  // A later mount at the same place hides an earlier one.
  return holding.reduce<Mount | null>((best, mount) => (best === null || mount.path.length >= best.path.length ? mount : best), null);
}

/** The block device of a mount; null if it has none, as a folder in memory or of the network. @param root the folder that has `sys`. */
export async function blockDeviceOf(root: string, { device, source }: Mount): Promise<BlockDevice | null> {
  // Some file systems, such as btrfs, have numbers of their own; their source is a device.
  const link = await readlink(join(root, "sys/dev/block", device)).catch(() => null);
  const name = link === null ? basename(source) : basename(link);
  if (link === null && !source.startsWith("/dev/")) return null;
  const part = await lowestOf(root, name);
  const path = await readlink(join(root, "sys/class/block", part)).catch(() => null);
  if (path === null) return null;
  // A partition is a folder in that of its disk.
  const isPartition = await exists(join(root, "sys/class/block", part, "partition"));
  return { part: name, disk: isPartition ? basename(dirname(path)) : part };
}

/** The partition under an encrypted or logical volume. */
async function lowestOf(root: string, name: string): Promise<string> {
  const [below] = (await readdir(join(root, "sys/class/block", name, "slaves")).catch(() => [])).toSorted((a, b) => (a < b ? -1 : 1));
  return below === undefined ? name : lowestOf(root, below);
}

/** A line such as `36 35 179:2 / /var rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw`. Before the dash are optional fields. */
function mountIn(line: string): Mount | null {
  const [before = "", after = ""] = line.split(" - ");
  const [, , device, , path, options] = before.split(" ");
  const [type, source, superOptions] = after.split(" ");
  if (device === undefined || path === undefined || type === undefined || source === undefined) return null;
  // Of the mount, and of the file system: ext4 makes itself read-only after an error.
  const isReadOnly = [options, superOptions].some((each) => each?.split(",").includes("ro"));
  return { device, path: decodeOctal(path), type, source: decodeOctal(source), isReadOnly };
}

/** The kernel writes a space as `\040`. */
function decodeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
