// Examines zip bundles for HTML items: what they would unpack to is bounded by their directory and by really inflating them.
import { crc32 } from "node:zlib";
import { stat } from "node:fs/promises";
import type { Entry, ZipFile } from "yauzl";
import { ProblemError } from "../../http/problem.ts";
import { badFile, errorSummary, mediaInfo, type Media } from "../media.ts";

/** What a bundle may unpack to. */
const bundleLimits = {
  entries: 5_000,
  unpackedBytes: 1_073_741_824,
  /** Unpacked to packed, of the whole; small bundles may be above. */
  ratio: 100,
  ratioAppliesAboveBytes: 10_485_760,
  nameLength: 255,
};
const startPage = "index.html";

/** @throws Refusal 422 for a bundle without a start page, with hostile names or links, or one that would unpack to too much. */
export async function examineBundle(path: string): Promise<Media> {
  const { openPromise } = await import("yauzl");
  const sizeBytes = (await stat(path)).size;
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { autoClose: false, strictFileNames: true, validateEntrySizes: true });
    const entries = await entriesOf(zip, sizeBytes);
    await inflate(zip, entries, sizeBytes);
    return mediaInfo("bundle", "application/zip");
  } catch (cause) {
    if (cause instanceof ProblemError) throw cause;
    throw badFile(`The zip file cannot be read (${errorSummary(cause)}): pack it again with an ordinary zip program`, cause);
  } finally {
    zip?.close();
  }
}

/** The files that its directory names, each of them acceptable. */
async function entriesOf(zip: ZipFile, sizeBytes: number): Promise<Entry[]> {
  if (zip.entryCount > bundleLimits.entries)
    throw badFile(`The bundle holds ${zip.entryCount} files, at most ${bundleLimits.entries} are taken`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    checkEntry(entry);
    // Two files that differ only in case are one on some disks.
    const name = entry.fileName.normalize("NFC").toLowerCase();
    if (names.has(name)) throw badFile(`The bundle holds “${entry.fileName}” twice: keep one of them`);
    names.add(name);
    unpacked += entry.uncompressedSize;
    checkUnpacked(unpacked, sizeBytes);
    if (!entry.fileName.endsWith("/")) entries.push(entry);
  }
  if (!entries.some((entry) => entry.fileName === startPage)) throw withoutStart(entries);
  return entries;
}

function checkEntry(entry: Entry): void {
  const { fileName } = entry;
  // yauzl has refused absolute names, backslashes and “..” already.
  if (fileName.length > bundleLimits.nameLength || /[\p{Cc}:*?"<>|]|(?:^|\/)\.?(?:\/|$)/u.test(fileName.replace(/\/$/, ""))) {
    throw badFile(`The bundle holds a file whose name is not taken (“${fileName.slice(0, 80)}”): use plain relative names`);
  }
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  const isUnix = entry.versionMadeBy >>> 8 === 3;
  if (isUnix && type !== 0 && type !== 0o100000 && type !== 0o040000) {
    throw badFile(`The bundle holds a link or a device (“${fileName}”): pack the file itself`);
  }
  if (entry.isEncrypted()) throw badFile("The bundle is locked with a password: pack it without one");
  if (!entry.canDecodeFileData())
    throw badFile("The bundle is packed by a method other than deflate: pack it with an ordinary zip program");
}

/** Unpacks everything into nothing: the directory may lie about sizes, the bytes cannot. */
async function inflate(zip: ZipFile, entries: readonly Entry[], sizeBytes: number): Promise<void> {
  let unpacked = 0;
  for (const entry of entries) {
    let checksum = 0;
    for await (const part of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      unpacked += part.length;
      checkUnpacked(unpacked, sizeBytes);
      checksum = crc32(part, checksum);
    }
    if (checksum !== entry.crc32) throw new Error(`the checksum of “${entry.fileName}” does not match`);
  }
}

function checkUnpacked(unpacked: number, sizeBytes: number): void {
  const { unpackedBytes, ratio, ratioAppliesAboveBytes } = bundleLimits;
  if (unpacked > unpackedBytes) throw badFile("The bundle would unpack to more than 1 GiB: leave out what the page does not need");
  if (unpacked > ratioAppliesAboveBytes && unpacked > ratio * sizeBytes) {
    throw badFile(`The bundle would unpack to more than ${ratio} times its size, as a zip bomb does: leave such files out`);
  }
}

function withoutStart(entries: readonly Entry[]): ProblemError {
  if (entries.some(({ fileName }) => /^Index\/.*\.iwa$|^Index\.zip$/.test(fileName))) {
    return badFile("The file is a Keynote, Pages or Numbers document: export it as PDF and upload that");
  }
  const inFolder = entries.find((entry) => /^[^/]+\/index\.html$/.test(entry.fileName));
  const hint =
    inFolder === undefined ? "add the page to show under that name" : `zip what is in “${inFolder.fileName.split("/")[0]}”, not the folder`;
  return badFile(`The bundle has no index.html at its top: ${hint}`);
}
