// Sends one file to the library by the tus protocol, and continues after every break of the network.
import { DefaultHttpStack, DetailedError, Upload, type HttpRequest, type HttpResponse } from "tus-js-client";
import { ProblemError, type Problem } from "../../../sdk/typescript/client.ts";
import { removeHiddenCharacters } from "../../../src/protocol/text.ts";
import { baseUrl, client } from "./client.ts";
import { eventStream } from "./event-stream.ts";
import { uploadMemory } from "./upload-memory.ts";

/** The asset that a file has become. */
export interface SentFile {
  assetId: string;
  /** True if the library had a file with the same bytes: the asset is that one. */
  isDuplicate: boolean;
}

interface Sending {
  file: File;
  fingerprint: string;
  /** Ends it. With an AbortError as its reason the upload is deleted; with another it can be continued. */
  signal: AbortSignal;
  onProgress: (sentBytes: number) => void;
  /** It will be tried again: the connection is broken, or the service is too busy. Progress tells that it continues. */
  onStall: (isServiceBusy: boolean) => void;
}

const endpoint = `${baseUrl}/api/v1/uploads`;
const chunkBytes = 16 * 1024 ** 2;
const smallBytes = 1024 ** 2;
// Each chunk that arrives begins this list again.
const retryDelays = [500, 1_000, 2_000, 4_000, 8_000, ...Array.from<number>({ length: 1_000 }).fill(15_000)];
const mostServerFailures = 5;

/** The service answers with paths from its root, but a proxy may have given it a path of its own. */
class ConsoleHttpStack extends DefaultHttpStack {
  override createRequest(method: string, url: string): HttpRequest {
    const { pathname } = new URL(url, endpoint);
    const place = pathname.lastIndexOf("/api/v1/uploads");
    return super.createRequest(method, baseUrl + pathname.slice(place));
  }
}

/**
 * Sends a file, and waits until the service has examined it.
 * @throws ProblemError when the service refuses it, or an AbortError.
 */
export async function sendFile({ file, fingerprint, signal, onProgress, onStall }: Sending): Promise<SentFile> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  let isStalled = false;
  const upload = new Upload(file, {
    endpoint,
    chunkSize: chunkBytes,
    // Small files need one request.
    uploadDataDuringCreation: file.size <= smallBytes,
    retryDelays,
    // Without the type that the ending of its name suggests: the service recognizes the bytes.
    metadata: { filename: nameOf(file), duplicate: "reuse" },
    fingerprint: async () => fingerprint,
    urlStorage: uploadMemory,
    removeFingerprintOnSuccess: true,
    httpStack: new ConsoleHttpStack({}),
    onProgress: (sentBytes) => {
      isStalled = false;
      onProgress(sentBytes);
    },
    onShouldRetry: ({ originalResponse }, attempt) => {
      const status = originalResponse?.getStatus() ?? 0;
      const isPassing = status === 0 || status === 409 || status === 423 || status === 429;
      if (!isPassing && !(status >= 500 && attempt < mostServerFailures)) return false;
      isStalled = true;
      onStall(status !== 0);
      return true;
    },
    onSuccess: ({ lastResponse }) => resolve(lastResponse),
    onError: reject,
  });
  const start = async (): Promise<void> => {
    const [earlier] = await upload.findPreviousUploads();
    if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
    if (!signal.aborted) upload.start();
  };
  // As soon as the service responds again, the upload continues without waiting for its next try.
  const stopListening = eventStream.listen((news) => {
    if (news.is !== "connection" || news.awaySince !== null || !isStalled) return;
    isStalled = false;
    upload.abort().then(start).catch(reject);
  });
  const abort = (): void => {
    reject(signal.reason as Error);
    const isCancelled = (signal.reason as Error).name === "AbortError";
    void upload.abort(isCancelled).catch(() => {
      // The service does not respond. It deletes an incomplete upload by itself after a day.
    });
    if (isCancelled) void uploadMemory.removeUpload(fingerprint);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    await start();
    return await sentFileOf(upload, await promise);
  } catch (error) {
    throw await problemOf(error, fingerprint);
  } finally {
    signal.removeEventListener("abort", abort);
    stopListening();
  }
}

/** The name as the service accepts it: at most 200 characters, none of them invisible. */
function nameOf(file: File): string {
  const name = removeHiddenCharacters(file.name).trim().slice(0, 200);
  // The cut may have left half a surrogate pair.
  return name.toWellFormed().replace(/\ufffd$/, "") || "file";
}

async function sentFileOf(upload: Upload, response: HttpResponse): Promise<SentFile> {
  const assetId = response.getHeader("Asset-Id");
  if (assetId !== undefined) return { assetId, isDuplicate: response.getHeader("Asset-Duplicate") === "true" };
  // The answer to the last bytes was lost: the upload itself has the outcome.
  const id = upload.url!.slice(upload.url!.lastIndexOf("/") + 1);
  const { data } = await client.get("/api/v1/uploads/{id}", { params: { path: { id } } });
  if (data.asset_id !== null) return { assetId: data.asset_id, isDuplicate: false };
  throw new Error(data.error?.detail ?? data.status);
}

/** The service's problem document in an error of the tus client. */
async function problemOf(error: unknown, fingerprint: string): Promise<unknown> {
  if (!(error instanceof DetailedError) || error.originalResponse === null) return error;
  // A refused upload is not worth continuing.
  await uploadMemory.removeUpload(fingerprint);
  const status = error.originalResponse.getStatus();
  try {
    return new ProblemError(JSON.parse(error.originalResponse.getBody()) as Problem, new Response(null, { status }));
  } catch {
    return error; // A proxy answered with something else than a problem.
  }
}
