// Examines zip bundles for HTML items. Checks the directory of the zip file, then inflates every file, since the directory may lie.
import { crc32 } from "node:zlib";
import { stat } from "node:fs/promises";
import type { Entry, ZipFile } from "yauzl";
import { ProblemError } from "../../http/problem.ts";
import { badFile, errorSummary } from "../bad-file.ts";
import type { MediaInfo } from "../job-protocol.ts";
import { mediaInfo } from "../media-info.ts";

/** The limits of a bundle. */
const bundleLimits = {
  entries: 5_000,
  unpackedBytes: 1_073_741_824,
  /** Unpacked to packed size of the whole bundle. Small bundles may exceed it. */
  ratio: 100,
  ratioAppliesAboveBytes: 10_485_760,
  nameLength: 255,
};
const startPage = "index.html";

/** @throws ProblemError 422 for a bundle without a start page, with hostile names or links, or with too much content. */
export async function examineBundle(path: string): Promise<MediaInfo> {
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

/** The files of the bundle, from its directory. */
async function entriesOf(zip: ZipFile, sizeBytes: number): Promise<Entry[]> {
  if (zip.entryCount > bundleLimits.entries)
    throw badFile(`The bundle contains ${zip.entryCount} files; the limit is ${bundleLimits.entries}`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let unpacked = 0;
  for await (const entry of zip.eachEntry()) {
    checkEntry(entry);
    // Some file systems treat names that differ only in case as one file.
    const name = entry.fileName.normalize("NFC").toLowerCase();
    if (names.has(name)) throw badFile(`The bundle contains “${entry.fileName}” twice: keep one of them`);
    names.add(name);
    unpacked += entry.uncompressedSize;
    checkUnpacked(unpacked, sizeBytes);
    if (!entry.fileName.endsWith("/")) entries.push(entry);
  }
  if (!entries.some((entry) => entry.fileName === startPage)) throw missingStartPage(entries);
  return entries;
}

function checkEntry(entry: Entry): void {
  const { fileName } = entry;
  // yauzl has already rejected absolute names, backslashes and “..”.
  if (fileName.length > bundleLimits.nameLength || /[\p{Cc}:*?"<>|]|(?:^|\/)\.?(?:\/|$)/u.test(fileName.replace(/\/$/, ""))) {
    throw badFile(`The bundle contains a file with a forbidden name (“${fileName.slice(0, 80)}”): use plain relative names`);
  }
  const type = (entry.externalFileAttributes >>> 16) & 0o170000;
  const isUnix = entry.versionMadeBy >>> 8 === 3;
  if (isUnix && type !== 0 && type !== 0o100000 && type !== 0o040000) {
    throw badFile(`The bundle contains a link or a device (“${fileName}”): pack the file itself`);
  }
  if (entry.isEncrypted()) throw badFile("The bundle has a password: pack it without one");
  if (!entry.canDecodeFileData())
    throw badFile("The bundle uses a compression method other than deflate: pack it with an ordinary zip program");
}

/** Inflates every file without storing it, and checks its real size and checksum. */
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
  if (unpacked > unpackedBytes) throw badFile("The bundle unpacks to more than 1 GiB: leave out the files that the page does not need");
  if (unpacked > ratioAppliesAboveBytes && unpacked > ratio * sizeBytes) {
    throw badFile(`The bundle unpacks to more than ${ratio} times its size, like a zip bomb: leave such files out`);
  }
}

function missingStartPage(entries: readonly Entry[]): ProblemError {
  if (entries.some(({ fileName }) => /^Index\/.*\.iwa$|^Index\.zip$/.test(fileName))) {
    return badFile("The file is a Keynote, Pages or Numbers document: export it as PDF and upload that");
  }
  const inFolder = entries.find((entry) => /^[^/]+\/index\.html$/.test(entry.fileName));
  const hint =
    inFolder === undefined
      ? "add the page under that name"
      : `zip the contents of the folder “${inFolder.fileName.split("/")[0]}”, not the folder itself`;
  return badFile(`The bundle has no index.html at the top level: ${hint}`);
}
