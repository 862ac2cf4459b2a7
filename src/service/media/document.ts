// Examines PDF documents: whole, without a password, with pages. The parser runs in a thread of its own, bounded.
import { stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import { z } from "zod";
import { outsideArchive } from "../../base/archive.ts";
import { Refusal } from "../problem.ts";
import { badFile, media, type Media } from "./media.ts";

const mostBytes = 200 * 1_024 * 1_024;
const mostPages = 5_000;
const longestMs = 30_000;
const mostHeapMb = 512;

const Finding = z.union([z.object({ pages: z.int() }), z.object({ name: z.string(), message: z.string() })]);

// As text, since the bundled program has no file of it. A document must neither hold up the service nor take its memory.
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const { readFile } = require("node:fs/promises");
(async () => {
  const { getDocument } = await import(workerData.library);
  const data = new Uint8Array(await readFile(workerData.path));
  const task = getDocument({ data, isEvalSupported: false, useSystemFonts: false, stopAtErrors: true, verbosity: 0 });
  const document = await task.promise;
  // The first and the last page are looked up: a count alone may be a claim.
  await document.getPage(1);
  await document.getPage(document.numPages);
  parentPort.postMessage({ pages: document.numPages });
})().catch((error) => parentPort.postMessage({ name: error.name, message: error.message }));
`;

/** @throws Refusal 422 for a document that is broken, locked, too large or takes too long to read. */
export async function examineDocument(path: string): Promise<Media> {
  if ((await stat(path)).size > mostBytes) throw badFile("The PDF is larger than 200 MB: make its pictures smaller or split it");
  const finding = await inThread(path);
  if ("pages" in finding) {
    if (finding.pages < 1) throw badFile("The PDF has no page: export it again");
    if (finding.pages > mostPages) throw badFile(`The PDF has ${finding.pages} pages, at most ${mostPages} are taken: split it`);
    return media("document", "application/pdf", { pageCount: finding.pages });
  }
  if (finding.name === "PasswordException") throw badFile("The PDF is locked with a password: export it without one");
  throw badFile(`The PDF cannot be read (${finding.message.split("\n")[0]}): it may be cut short; export it again`);
}

async function inThread(path: string): Promise<z.infer<typeof Finding>> {
  const library = outsideArchive(import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"));
  const worker = new Worker(program, {
    eval: true,
    workerData: { path, library },
    env: {},
    // What the library prints belongs to nobody here.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  try {
    return await new Promise((resolve, reject) => {
      const tooLong = setTimeout(() => reject(badFile("The PDF takes too long to read: export it again, simpler")), longestMs);
      worker.once("message", (message: unknown) => resolve(Finding.parse(message)));
      worker.once("error", (cause) => reject(new Refusal("bad-file", "The PDF takes too much memory to read: split it", { cause })));
      worker.once("exit", () => reject(badFile("The PDF cannot be read: export it again")));
      worker.once("exit", () => clearTimeout(tooLong));
    });
  } finally {
    await worker.terminate();
  }
}
