// The flags of `npm run image`.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { checkFlags, defineUsage, readFlags } from "../../src/base/config.ts";
import { rootFolder } from "../../src/main/folders.ts";

const usage = defineUsage({
  command: "npm run image --",
  summary: "Builds a bootable Debian image with signage-player for PCs with UEFI (docs/image.md).",
  flags: {
    apt: { value: "SOURCE", help: "Folder or http(s) address of the apt repository with signage-player (default dist/apt)" },
    key: { value: "FILE", help: "Public key of that repository (default: signage-player.asc in the folder; needed with an address)" },
    source: { value: "URL", help: "Where machines get updates of signage-player (default: the address of --apt; none for a folder)" },
    output: { value: "FILE", help: "The image (default dist/signage-player.img); a copy compressed by zstd is written beside it" },
    toml: { value: "FILE", help: "signage.toml that the machine reads at its first boot" },
    suite: { value: "NAME", help: "Debian's release (default trixie)" },
    mirror: { value: "URL", help: "Debian's mirror (default http://deb.debian.org/debian)" },
    "root-size": { value: "MIB", help: "Size of the system's partition (default 6144)" },
    "ssh-keys": { value: "FILE", help: "Installs an SSH server, and these authorized_keys for root. Without it nobody can log in" },
    kernel: { value: "ARGUMENTS", help: "Further arguments for the kernel, such as console=ttyS0" },
    "no-firmware": { help: "Without firmware and microcode for real hardware, for virtual machines" },
    "no-compress": { help: "Without the compressed copy" },
  },
});

const existing = z
  .string()
  .transform((path) => resolve(path))
  .refine((path) => existsSync(path), "must name a file that exists")
  .optional();
const address = z.url({ protocol: /^https?$/, error: "must be an http or https address" });
const Flags = z
  .object({
    apt: z.union([address, z.string().min(1)]).default(join(rootFolder, "dist/apt")),
    key: existing,
    source: address.optional(),
    output: z
      .string()
      .min(1)
      .default(join(rootFolder, "dist/signage-player.img"))
      .transform((path) => resolve(path)),
    toml: existing,
    suite: z
      .string()
      .regex(/^[a-z]+$/, "must be the name of a release such as trixie")
      .default("trixie"),
    mirror: address.default("http://deb.debian.org/debian"),
    "root-size": z.coerce
      .number("must be a number of MiB")
      .int("must be a whole number of MiB")
      .min(2_048, "must be at least 2048")
      .default(6_144),
    "ssh-keys": existing,
    kernel: z
      .string()
      .regex(/^[\w.,=:/ -]*$/, "must be arguments without quotes")
      .default(""),
    "no-firmware": z.boolean().default(false),
    "no-compress": z.boolean().default(false),
  })
  .transform(({ apt, key, source, ...others }) => {
    const isAddress = /^https?:/.test(apt);
    const folder = isAddress ? null : resolve(apt);
    return {
      ...others,
      apt: folder ?? apt,
      key: key ?? (folder === null ? undefined : join(folder, "signage-player.asc")),
      source: source ?? (isAddress ? apt : undefined),
    };
  })
  .refine(({ key }) => key !== undefined && existsSync(key), { path: ["key"], error: "must name the repository's public key" });

/** What is asked for. `apt` is an address or an absolute path. */
export type ImageOptions = z.infer<typeof Flags>;

/** @throws Fault `bad-config` that names every invalid flag, `help-asked` for --help. */
export function readOptions(argv: readonly string[]): ImageOptions {
  return checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
}
