// The partitions of the image: where each begins, how large it is, and the arguments by which sgdisk writes the table. Pure.

/** One partition. Sizes and offsets are in bytes. */
export interface Partition {
  label: string;
  /** The type's code for sgdisk. The names of https://uapi-group.org/specifications/specs/discoverable_partitions_specification */
  type: "ef00" | "8304" | "8300";
  offset: number;
  size: number;
}

export interface Layout {
  esp: Partition;
  root: Partition;
  data: Partition;
  /** Of the whole image. */
  size: number;
}

const mebibyte = 2 ** 20;
// The two tables at the beginning and the end take 34 sectors each; partitions begin at whole mebibytes.
const alignment = mebibyte;
const espSize = 64 * mebibyte;
const smallestRoot = 2_048 * mebibyte;
// Content that a player keeps before its first boot has grown the partition.
const dataSize = 512 * mebibyte;

/**
 * The partition for data is the last, because the first boot grows it to the end of the disk.
 * @param rootMebibytes the size of the system's partition, in MiB. @throws RangeError below 2048.
 */
export function layOut(rootMebibytes: number): Layout {
  if (!Number.isSafeInteger(rootMebibytes) || rootMebibytes * mebibyte < smallestRoot)
    throw new RangeError("the size of the system's partition must be a whole number of at least 2048 MiB");
  const esp: Partition = { label: "signage-esp", type: "ef00", offset: alignment, size: espSize };
  const root: Partition = { label: "signage-root", type: "8304", offset: esp.offset + esp.size, size: rootMebibytes * mebibyte };
  const data: Partition = { label: "signage-data", type: "8300", offset: root.offset + root.size, size: dataSize };
  return { esp, root, data, size: data.offset + data.size + alignment };
}

/** What sgdisk needs to write the table into the file `image`. */
export function sgdiskArguments({ esp, root, data }: Layout, image: string): string[] {
  const sector = 512;
  const partitions = [esp, root, data].flatMap(({ label, type, offset, size }, index) => [
    `--new=${index + 1}:${offset / sector}:${(offset + size) / sector - 1}`,
    `--typecode=${index + 1}:${type}`,
    `--change-name=${index + 1}:${label}`,
  ]);
  return ["--clear", "--set-alignment=1", ...partitions, image];
}
