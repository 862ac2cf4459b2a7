// Motion JPEG: JPEGs one after the other in an endless response (multipart/x-mixed-replace), as cameras send it.
// An <img> is not used because it reports neither missing pictures nor the end of the connection.
import { createElement } from "../../dom.ts";
import { ItemFailure } from "../item.ts";
import type { Connection, StreamItem } from "./stream.ts";

const pictureTimeoutMs = 6_000;
const maxPartBytes = 16 * 1024 * 1024;
const headerEnd = [13, 10, 13, 10];

/** Connects to a Motion JPEG camera. */
export function connectMjpeg(item: StreamItem): Connection {
  const canvas = createElement("canvas", "media");
  canvas.style.objectFit = item.fit;
  const context = canvas.getContext("bitmaprenderer")!;
  const abort = new AbortController();
  const first = Promise.withResolvers<void>();
  const loss = Promise.withResolvers<ItemFailure>();
  let timer = 0;

  function fail(failure: ItemFailure): void {
    clearTimeout(timer);
    abort.abort();
    first.reject(failure);
    loss.resolve(failure);
  }

  function expectMore(): void {
    clearTimeout(timer);
    timer = window.setTimeout(() => fail(new ItemFailure("stalled", `no picture for ${pictureTimeoutMs} ms`)), pictureTimeoutMs);
  }

  async function read(): Promise<void> {
    for await (const jpeg of partsOf(await requestStream(item, abort.signal))) {
      const bitmap = await createImageBitmap(new Blob([jpeg], { type: "image/jpeg" }));
      if (abort.signal.aborted) return bitmap.close();
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
      context.transferFromImageBitmap(bitmap);
      first.resolve();
      expectMore();
    }
    fail(new ItemFailure("load", "the camera ended the stream"));
  }

  expectMore();
  read().catch((error: unknown) => fail(error instanceof ItemFailure ? error : new ItemFailure("decode", String(error))));
  return {
    element: canvas,
    firstPicture: first.promise,
    loss: loss.promise,
    play() {},
    end() {
      clearTimeout(timer);
      abort.abort();
      canvas.width = canvas.height = 0;
      canvas.remove();
    },
  };
}

interface CameraResponse {
  body: ReadableStream<Uint8Array>;
  boundary: Uint8Array;
}

async function requestStream(item: StreamItem, signal: AbortSignal): Promise<CameraResponse> {
  const response = await fetch(item.src, { signal }).catch((error: unknown) => {
    throw new ItemFailure("load", String(error));
  });
  if (!response.ok || response.body === null)
    throw new ItemFailure("load", `HTTP ${response.status} ${(await response.text()).slice(0, 300)}`);
  const type = response.headers.get("content-type") ?? "";
  const boundary = /^multipart\/x-mixed-replace.*boundary="?([^";]+)/i.exec(type)?.[1];
  if (boundary === undefined) throw new ItemFailure("unsupported", `the camera sends ${type || "no content type"}, not Motion JPEG`);
  // Many cameras include the two dashes in the parameter.
  return { body: response.body, boundary: new TextEncoder().encode(`--${boundary.trim().replace(/^--/, "")}`) };
}

/** The bodies of the parts: by their Content-Length if given, else up to the next boundary. */
async function* partsOf({ body, boundary }: CameraResponse): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(0);
  let scannedBytes = 0;
  for await (const bytes of body) {
    buffer = concat(buffer, bytes);
    for (;;) {
      const start = indexOf(buffer, boundary, 0);
      const head = start === -1 ? -1 : indexOf(buffer, headerEnd, start);
      if (head === -1) break;
      const from = head + headerEnd.length;
      const length = /content-length:\s*(\d+)/i.exec(new TextDecoder("latin1").decode(buffer.subarray(start, head)))?.[1];
      const end = length === undefined ? indexOf(buffer, boundary, Math.max(from, scannedBytes - boundary.length)) : from + Number(length);
      if (end === -1 || end > buffer.length) {
        scannedBytes = buffer.length;
        break;
      }
      yield buffer.slice(from, end);
      buffer = buffer.slice(end);
      scannedBytes = 0;
    }
    if (buffer.length > maxPartBytes) throw new ItemFailure("decode", `a picture of more than ${maxPartBytes / 1024 / 1024} MB`);
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function indexOf(bytes: Uint8Array, pattern: ArrayLike<number>, from: number): number {
  for (let at = bytes.indexOf(pattern[0]!, from); at !== -1; at = bytes.indexOf(pattern[0]!, at + 1)) {
    let same = 1;
    while (same < pattern.length && bytes[at + same] === pattern[same]) same += 1;
    if (same === pattern.length) return at;
  }
  return -1;
}
