// The programs of Debian's packages that the tests start, and their installation.
import { existsSync } from "node:fs";
import type { Log } from "../../src/base/log.ts";
import { aptCommand, installPackages } from "../../src/main/player/apt.ts";
import { browserPackages } from "../../src/main/player/engine.ts";
import { isInstalled } from "../../test/support/is-installed.ts";

/** A program, by name or path, and the Debian packages that contain it. */
export interface Requirement {
  program: string;
  packages: readonly string[];
}

/** What `npm test` needs. */
export const gateRequirements: readonly Requirement[] = [
  { program: "/usr/lib/chromium/chromium", packages: browserPackages },
  // For the tests of the pages.
  { program: "/usr/lib/chromium/chromium-headless-shell", packages: ["chromium-headless-shell"] },
  { program: "Xvfb", packages: ["xvfb"] },
  // An X server that can change its display's mode, and the program that requests the change.
  { program: "Xvnc", packages: ["tigervnc-standalone-server"] },
  { program: "xrandr", packages: ["x11-xserver-utils"] },
  { program: "ffmpeg", packages: ["ffmpeg"] },
  { program: "openbox", packages: ["openbox"] },
  // For the tests of the packages and of the image.
  { program: "reprepro", packages: ["reprepro"] },
  { program: "gpg", packages: ["gnupg"] },
  { program: "gpgv", packages: ["gpgv"] },
  { program: "zstd", packages: ["zstd"] },
  { program: "sgdisk", packages: ["gdisk"] },
  { program: "shellcheck", packages: ["shellcheck"] },
  { program: "groff", packages: ["groff-base"] },
  // For the tests of several nodes. apt starts neither where it runs without an init system; the tests start their own.
  { program: "/usr/sbin/nats-server", packages: ["nats-server"] },
  { program: "/usr/sbin/haproxy", packages: ["haproxy"] },
];

/** What `npm run test:long` needs besides. */
export const longRequirements: readonly Requirement[] = [
  // Compiles the library that makes a program's reads fail.
  { program: "gcc", packages: ["gcc", "libc6-dev"] },
  { program: "firefox-esr", packages: ["firefox-esr"] },
  { program: "debootstrap", packages: ["debootstrap"] },
  // Debian's PostgreSQL, beside npm's.
  { program: "/usr/lib/postgresql", packages: ["postgresql"] },
];

/** Installs what is missing. @throws Error with the command to run, if this user may not install packages. */
export async function ensureInstalled(requirements: readonly Requirement[], log: Log, signal: AbortSignal): Promise<void> {
  const isThere = ({ program }: Requirement): boolean => (program.startsWith("/") ? existsSync(program) : isInstalled(program));
  const missing = requirements.filter((requirement) => !isThere(requirement)).flatMap(({ packages }) => packages);
  if (missing.length === 0) return;
  log.info({ packages: missing }, "installing what the tests need");
  if (await installPackages(missing, log, signal)) return;
  throw new Error(`Programs that the tests need are missing, and this user may not install them. Run: ${aptCommand(missing)}`);
}
