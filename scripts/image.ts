// `npm run image`: builds a bootable Debian image with signage-player for PCs with UEFI, without loop devices (docs/image.md).
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isFault, reasonOf } from "../src/base/fault.ts";
import { buildBootPartition } from "./image/boot.ts";
import { layOut, type Partition, sgdiskArguments } from "./image/layout.ts";
import { type ImageOptions, readOptions } from "./image/options.ts";
import { buildSystem } from "./image/system.ts";
import { run, step } from "./package/run-program.ts";

try {
  await main(readOptions(process.argv.slice(2)));
} catch (error) {
  if (isFault(error, "help-asked")) process.stdout.write(`${error.message}\n`);
  else {
    process.stderr.write(`image: ${reasonOf(error)}\n`);
    process.exitCode = isFault(error, "bad-config") ? 2 : 1;
  }
}

async function main(options: ImageOptions): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("only root can build an image: its files must belong to the system's users");
  const { output } = options;
  mkdirSync(dirname(output), { recursive: true });
  const work = mkdtempSync(join(dirname(output), "image-"));
  try {
    const [system, loaders, data] = [join(work, "system"), join(work, "loaders"), join(work, "data")];
    await step("system", () => buildSystem(options, system, loaders));
    const layout = layOut(options["root-size"]);
    await step("partitions", () => {
      const esp = join(work, "esp.img");
      mkdirSync(join(work, "boot"));
      buildBootPartition(esp, layout.esp, { loaders, kernelArguments: options.kernel, toml: options.toml }, join(work, "boot"));
      // What the package installed belongs to the partition for data from now on.
      mkdirSync(data);
      for (const name of ["player", "launcher"]) run("cp", ["--archive", join(system, `var/lib/signage-${name}`), join(data, name)]);
      rmSync(output, { force: true });
      run("truncate", [`--size=${layout.size}`, output]);
      run("sgdisk", sgdiskArguments(layout, output));
      run("dd", [`if=${esp}`, `of=${output}`, "bs=1M", `seek=${layout.esp.offset / 2 ** 20}`, "conv=notrunc,sparse"]);
      makeFileSystem(output, layout.root, system);
      makeFileSystem(output, layout.data, data);
    });
    if (!options["no-compress"]) await step("compress", () => run("zstd", ["--quiet", "--force", "--threads=0", "-12", output]));
    process.stdout.write(`${output}: ${gigabytes(layout.size)} GB, ${gigabytes(statSync(output).blocks * 512)} GB of them used\n`);
    if (!options["no-compress"]) process.stdout.write(`${output}.zst: ${gigabytes(statSync(`${output}.zst`).size)} GB\n`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Writes an ext4 with the files of a folder into the partition. Sparse: what is free stays a hole. */
function makeFileSystem(image: string, { label, offset, size }: Partition, from: string): void {
  const features = `offset=${offset},root_owner=0:0,lazy_itable_init=0`;
  run("mke2fs", [
    "-q",
    "-t",
    "ext4",
    "-L",
    label,
    "-m",
    "1",
    "-O",
    "^metadata_csum_seed,^orphan_file",
    "-E",
    features,
    "-d",
    from,
    image,
    `${size / 1_024}k`,
  ]);
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
