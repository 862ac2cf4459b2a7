// Reads a live view: JPEGs as parts of one response, and as its last part the reason why it ended, which an <img> would not tell.
import { ProblemError, type Problem } from "../../../../../sdk/typescript/client.ts";
import { fileUrl } from "../../../data/client.ts";

// One character for each byte, so that positions in the text are positions in the bytes.
const decoder = new TextDecoder("latin1");

/**
 * Watches a screen until `signal` aborts or the view ends.
 * @returns why it ended, in the service's words; null: the connection broke
 * @throws ProblemError when there is no picture at all, with the reason.
 */
export async function watchLive(id: string, onFrame: (jpeg: Blob) => Promise<void>, signal: AbortSignal): Promise<string | null> {
  const response = await fetch(fileUrl(`/api/v1/players/${encodeURIComponent(id)}/live?fps=3&width=960`), { signal });
  if (!response.ok || response.body === null) throw new ProblemError((await response.json()) as Problem, response);
  const parts = new Parts(response.body.getReader());
  for (;;) {
    const head = await parts.until("\r\n\r\n");
    if (head === null) return null;
    const length = Number(/content-length: *([0-9]+)/i.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(length)) {
      const end = await parts.until("\r\n--");
      return end === null ? null : (JSON.parse(end) as { detail: string }).detail;
    }
    const jpeg = await parts.take(length);
    if (jpeg === null) return null;
    await onFrame(new Blob([jpeg], { type: "image/jpeg" }));
  }
}

/** The bytes of a response as they come. */
class Parts {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  #rest = new Uint8Array(0);

  constructor(reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>) {
    this.#reader = reader;
  }

  /** The text before `mark`, which is skipped; null: the response has ended. */
  async until(mark: string): Promise<string | null> {
    for (;;) {
      // Heads and reasons are ASCII and short; a picture may follow, whose bytes do not matter here.
      const at = decoder.decode(this.#rest.subarray(0, 4_096)).indexOf(mark);
      if (at !== -1) return decoder.decode((await this.take(at + mark.length))!.subarray(0, at));
      if (!(await this.#more())) return null;
    }
  }

  async take(length: number): Promise<Uint8Array<ArrayBuffer> | null> {
    while (this.#rest.length < length) if (!(await this.#more())) return null;
    const bytes = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    return bytes;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#reader.read();
    if (done) return false;
    const buffer = new Uint8Array(this.#rest.length + value.length);
    buffer.set(this.#rest);
    buffer.set(value, this.#rest.length);
    this.#rest = buffer;
    return true;
  }
}
