// Makes a bundle as npm run package does: a tar file with release.json, compressed with Zstandard.
import { open, readFile, rm, writeFile } from "node:fs/promises";
import { zstdCompressSync } from "node:zlib";
import type { ReleaseManifest } from "../../src/protocol/device/updates.ts";
import { endTar, writeTarFile } from "../../src/service/store/backup/tar.ts";

/** Writes a bundle whose program is `program`. @param manifest `undefined`: the bundle has no release.json. */
export async function writeBundle(path: string, manifest: ReleaseManifest | undefined, program = Buffer.from("program")): Promise<void> {
  const tar = await open(`${path}.tar`, "w");
  try {
    await writeTarFile(tar, "bin/node", program.length, parts(program));
    const text = Buffer.from(JSON.stringify(manifest) ?? "");
    await writeTarFile(tar, manifest === undefined ? "other.json" : "release.json", text.length, parts(text));
    await endTar(tar);
  } finally {
    await tar.close();
  }
  await writeFile(path, zstdCompressSync(await readFile(`${path}.tar`)));
  await rm(`${path}.tar`);
}

async function* parts(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}
