// A signed apt repository as a folder that any web server can serve, made by reprepro.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Architecture } from "../../src/protocol/device/updates.ts";
import { run } from "./run-program.ts";

/** The public key in the repository, for /etc/apt/keyrings. */
export const publicKeyName = "signage-player.asc";
const trialKeyName = "signage-player trial key (not for releases)";

/**
 * Writes the repository anew, with these packages. @param key a file with the secret OpenPGP key; undefined for a new key, which
 * is deleted afterwards. @returns the fingerprint of the key.
 */
export function writeAptRepository(folder: string, debs: readonly string[], key: string | undefined): string {
  // Short, because GnuPG puts sockets into it.
  const home = mkdtempSync(join(tmpdir(), "signage-gpg-"));
  const env = { GNUPGHOME: home };
  try {
    if (key === undefined) {
      run("gpg", ["--batch", "--quiet", "--passphrase", "", "--quick-generate-key", trialKeyName, "ed25519", "sign", "never"], { env });
    } else {
      if (!existsSync(key)) throw new Error(`--key: ${key} does not exist`);
      run("gpg", ["--batch", "--quiet", "--import", key], { env });
    }
    const fingerprint = secretFingerprint(run("gpg", ["--batch", "--list-secret-keys", "--with-colons"], { env }));
    if (fingerprint === null) throw new Error(`--key: ${key} contains no secret OpenPGP key`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const conf = join(home, "conf");
    mkdirSync(conf);
    writeFileSync(join(conf, "distributions"), distribution(fingerprint));
    const folders = ["--silent", "--basedir", folder, "--confdir", conf, "--dbdir", join(home, "db")];
    run("reprepro", [...folders, "export"], { env });
    for (const deb of debs) run("reprepro", [...folders, "includedeb", "stable", deb], { env });
    writeFileSync(join(folder, publicKeyName), run("gpg", ["--batch", "--armor", "--export", fingerprint], { env }));
    return fingerprint;
  } finally {
    run("gpgconf", ["--kill", "all"], { env });
    rmSync(home, { recursive: true, force: true });
  }
}

function secretFingerprint(colons: string): string | null {
  return /^fpr:+([0-9A-F]{40,}):/m.exec(colons)?.[1] ?? null;
}

function distribution(fingerprint: string): string {
  return `Origin: signage-player
Label: signage-player
Suite: stable
Codename: stable
Architectures: ${Architecture.options.join(" ")}
Components: main
Description: Packages of signage-player
SignWith: ${fingerprint}
`;
}
