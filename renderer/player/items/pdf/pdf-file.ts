// One PDF file, opened by pdf.js in its own worker. Only the page being drawn is kept. This module is loaded when the first PDF is due.
import { getDocument, PDFWorker, type PDFDocumentProxy, type RenderTask } from "pdfjs-dist";
import { startWorker } from "../worker.ts";
// Vite makes the default export: the address of the built worker.
// oxlint-disable-next-line import/default
import workerUrl from "./pdf-file.worker.ts?worker&url";

// Data that PDF files may use without containing it: Asian character maps, the 14 standard fonts, decoders for scans.
const data = import.meta.glob<string>(
  [
    "../../../../node_modules/pdfjs-dist/cmaps/*.bcmap",
    "../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}",
    "../../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm",
  ],
  { query: "?url", import: "default", eager: true },
);
const addresses = new Map(Object.entries(data).map(([path, url]) => [path.slice(path.lastIndexOf("/") + 1), url]));

/** Loads the data files that pdf.js requests by name; the build has given them other names. */
class BuiltInData {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = addresses.get(filename);
    if (address === undefined) throw new Error(`pdf.js asks for ${filename}, which the build does not contain`);
    const response = await fetch(new URL(address, import.meta.url));
    if (!response.ok) throw new Error(`${filename}: HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** An open file. Draw one page at a time. */
export class PdfFile {
  readonly #document: PDFDocumentProxy;
  readonly #end: () => void;
  #task: RenderTask | null = null;
  #drawing: Promise<void> = Promise.resolve();

  private constructor(document: PDFDocumentProxy, end: () => void) {
    this.#document = document;
    this.#end = end;
  }

  /** Opens a file from the page's own origin and reads only the parts it needs. @throws pdf.js's exceptions, which differ by `name`. */
  static async open(src: string, signal: AbortSignal): Promise<PdfFile> {
    const thread = startWorker(workerUrl);
    const worker = PDFWorker.create({ port: thread });
    const task = getDocument({
      url: new URL(src, location.href).href,
      worker,
      disableAutoFetch: true,
      disableStream: true,
      enableXfa: false,
      isEvalSupported: false,
      stopAtErrors: false,
      BinaryDataFactory: BuiltInData,
    } as Parameters<typeof getDocument>[0]);
    const end = (): void => {
      signal.removeEventListener("abort", end);
      // Ending the worker thread frees all memory, even if the library is still busy.
      void task.destroy().finally(() => {
        worker.destroy();
        thread.terminate();
      });
    };
    signal.addEventListener("abort", end, { once: true });
    try {
      return new PdfFile(await task.promise, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  get pages(): number {
    return this.#document.numPages;
  }

  /** Draws a page (counted from 1) as large as fits into `width` × `height` device pixels and sets the canvas to that size. */
  draw(number: number, canvas: HTMLCanvasElement, width: number, height: number): Promise<void> {
    // One drawing at a time: pdf.js can neither share a canvas nor clean up while it draws.
    const drawing = this.#drawing.then(() => this.#draw(number, canvas, width, height));
    this.#drawing = drawing.catch(() => undefined); // the caller gets the error
    return drawing;
  }

  close(): void {
    this.#task?.cancel();
    this.#end();
  }

  async #draw(number: number, canvas: HTMLCanvasElement, width: number, height: number): Promise<void> {
    const page = await this.#document.getPage(number);
    const whole = page.getViewport({ scale: 1 });
    const viewport = page.getViewport({ scale: Math.min(width / whole.width, height / whole.height) });
    canvas.width = Math.max(1, Math.floor(viewport.width));
    canvas.height = Math.max(1, Math.floor(viewport.height));
    this.#task = page.render({ canvas, viewport });
    try {
      await this.#task.promise;
    } finally {
      this.#task = null;
      page.cleanup();
      // Otherwise the fonts and pictures of every page would stay in memory.
      await this.#document.cleanup();
    }
  }
}
