// Examines PDF documents: they must be complete, have pages and have no password.
import { readFile, stat } from "node:fs/promises";
import { unpackedPath } from "../../../base/files/electron-archive.ts";
import { badFile, errorSummary } from "../bad-file.ts";
import type { MediaInfo } from "../job-protocol.ts";
import { mediaInfo } from "../media-info.ts";

const maxBytes = 200 * 1_024 * 1_024;
const maxPages = 5_000;

/** @throws ProblemError 422 for a document that is broken, has a password or is too large. */
export async function examineDocument(path: string): Promise<MediaInfo> {
  if ((await stat(path)).size > maxBytes) throw badFile("The PDF is larger than 200 MB: shrink its pictures or split it");
  const pageCount = await countPages(path).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "PasswordException") throw badFile("The PDF has a password: export it without one", cause);
    throw badFile(`The PDF cannot be read (${errorSummary(cause)}): it may be truncated; export it again`, cause);
  });
  if (pageCount < 1) throw badFile("The PDF has no page: export it again");
  if (pageCount > maxPages) throw badFile(`The PDF has ${pageCount} pages; the limit is ${maxPages}: split it`);
  return mediaInfo("document", "application/pdf", { pageCount });
}

async function countPages(path: string): Promise<number> {
  // The library loads its worker from its own folder, which does not work inside Electron's archive.
  const address = unpackedPath(import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"));
  const { getDocument } = (await import(/* @vite-ignore */ address)) as typeof import("pdfjs-dist/legacy/build/pdf.mjs");
  const data = new Uint8Array(await readFile(path));
  const task = getDocument({ data, useSystemFonts: false, stopAtErrors: true, verbosity: 0 });
  try {
    const document = await task.promise;
    // Load the first and the last page: the page count alone may be wrong.
    await document.getPage(1);
    await document.getPage(document.numPages);
    return document.numPages;
  } finally {
    await task.destroy();
  }
}
