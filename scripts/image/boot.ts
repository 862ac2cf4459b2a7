// The EFI system partition: Debian's signed boot loader, its configuration, and signage.toml. The loader's packages are not installed
// on the machine, because their updates rewrite this partition in place: a power cut then would leave nothing that starts.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../package/run-program.ts";
import type { Partition } from "./layout.ts";
import { imageFolder } from "./system.ts";

interface BootFiles {
  /** The folder of the packages that `buildSystem` downloaded. */
  loaders: string;
  /** For the kernel. */
  kernelArguments: string;
  /** The operator's signage.toml. */
  toml: string | undefined;
}

/** Writes the partition's file system to the file `to`. @param work a folder for what is unpacked. */
export function buildBootPartition(to: string, { size }: Partition, { loaders, kernelArguments, toml }: BootFiles, work: string): void {
  for (const deb of readdirSync(loaders)) run("dpkg-deb", ["--extract", join(loaders, deb), work]);
  const template = readFileSync(join(imageFolder, "grub.cfg"), "utf8");
  const configuration = join(work, "grub.cfg");
  writeFileSync(configuration, template.replace("@ARGUMENTS@", kernelArguments));
  mkdirSync(join(work, "empty"), { recursive: true });
  run("truncate", [`--size=${size}`, to]);
  run("mkfs.vfat", ["-F", "32", "-n", "SIGNAGE", to]);
  run("mmd", ["-i", to, "::/EFI", "::/EFI/BOOT", "::/EFI/debian"]);
  // The name that firmware looks for on a disk that it does not know, and the name and the folder that the signed programs look for.
  const files: [from: string, name: string][] = [
    [join(work, "usr/lib/shim/shimx64.efi.signed"), "::/EFI/BOOT/BOOTX64.EFI"],
    [join(work, "usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed"), "::/EFI/BOOT/grubx64.efi"],
    [configuration, "::/EFI/debian/grub.cfg"],
    ...(toml === undefined ? [] : ([[toml, "::/signage.toml"]] as [string, string][])),
  ];
  for (const [from, name] of files) run("mcopy", ["-i", to, from, name]);
}
