// One PDF file, opened by pdf.js in a worker of its own, of which only the page in hand is held. Loaded when the first PDF is due.
import { getDocument, PDFWorker, type PDFDocumentProxy, type RenderTask } from "pdfjs-dist";

// What files refer to without bringing it along: Asian character maps, the 14 standard fonts, decoders of scans.
const data = import.meta.glob<string>(
  [
    "../../../../node_modules/pdfjs-dist/cmaps/*.bcmap",
    "../../../../node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}",
    "../../../../node_modules/pdfjs-dist/wasm/{jbig2,openjpeg,qcms_bg}.wasm",
  ],
  { query: "?url", import: "default", eager: true },
);
const addresses = new Map(Object.entries(data).map(([path, url]) => [path.slice(path.lastIndexOf("/") + 1), url]));

/** Hands pdf.js the files it asks for by name, under the names that the build gave them. */
class BuiltInData {
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const address = addresses.get(filename);
    if (address === undefined) throw new Error(`pdf.js asks for ${filename}, which is not there`);
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

  /** Opens a file of the page's own origin, reading only the parts it needs. @throws pdf.js's exceptions, told apart by `name`. */
  static async open(src: string, signal: AbortSignal): Promise<PdfFile> {
    const thread = new Worker(new URL("./pdf-file.worker.ts", import.meta.url), { type: "module" });
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
      // The thread goes whatever the library still thinks of it; with it goes all memory.
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

  /** Draws a page (from 1) as large as fits into `width` × `height` device pixels; the canvas takes its size. */
  draw(number: number, canvas: HTMLCanvasElement, width: number, height: number): Promise<void> {
    // One after the other: pdf.js can neither share a canvas nor clean up while it draws.
    const drawn = this.#drawing.then(() => this.#draw(number, canvas, width, height));
    this.#drawing = drawn.catch(() => undefined); // told to whoever asked for it
    return drawn;
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
      // Without it, a file's every page would leave its fonts and pictures behind.
      await this.#document.cleanup();
    }
  }
}
