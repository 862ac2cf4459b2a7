// Examines PDF documents: whole, without a password, with pages.
import { readFile, stat } from "node:fs/promises";
import { unpackedPath } from "../../../base/files/electron-archive.ts";
import { badFile, errorSummary, mediaInfo, type Media } from "../media.ts";

const maxBytes = 200 * 1_024 * 1_024;
const maxPages = 5_000;

/** @throws Refusal 422 for a document that is broken, locked or too large. */
export async function examineDocument(path: string): Promise<Media> {
  if ((await stat(path)).size > maxBytes) throw badFile("The PDF is larger than 200 MB: make its pictures smaller or split it");
  const pageCount = await pagesOf(path).catch((cause: unknown) => {
    if (cause instanceof Error && cause.name === "PasswordException")
      throw badFile("The PDF is locked with a password: export it without one", cause);
    throw badFile(`The PDF cannot be read (${errorSummary(cause)}): it may be cut short; export it again`, cause);
  });
  if (pageCount < 1) throw badFile("The PDF has no page: export it again");
  if (pageCount > maxPages) throw badFile(`The PDF has ${pageCount} pages, at most ${maxPages} are taken: split it`);
  return mediaInfo("document", "application/pdf", { pageCount });
}

async function pagesOf(path: string): Promise<number> {
  // The library fetches its worker's program from beside itself, which works outside an archive only.
  const address = unpackedPath(import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"));
  const { getDocument } = (await import(/* @vite-ignore */ address)) as typeof import("pdfjs-dist/legacy/build/pdf.mjs");
  const data = new Uint8Array(await readFile(path));
  const task = getDocument({ data, useSystemFonts: false, stopAtErrors: true, verbosity: 0 });
  try {
    const document = await task.promise;
    // The first and the last page are looked up: a count alone may be a claim.
    await document.getPage(1);
    await document.getPage(document.numPages);
    return document.numPages;
  } finally {
    await task.destroy();
  }
}
