// Fetches assets from URLs that operators name, in the background.
import type { FileDependencies } from "./file-dependencies.ts";
import { isAbort, isFault, isOutlived, reasonOf } from "../../../base/fault.ts";
import type { OutboundHttp, OutboundResponse } from "../../../base/http/outbound-http.ts";
import { hourMs } from "../../../base/time.ts";
import type { Asset } from "../../../protocol/content/assets.ts";
import { ProblemError } from "../../http/problem.ts";
import type { AssetRow } from "../../store/tables/content.ts";
import { assetEvent, examineFile, keepFile, prepareFile } from "./creation.ts";
import { fileColumns, withoutQuery } from "./rows.ts";
import { BackgroundQueue } from "./background-queue.ts";
import type { BlobStore, ReceivedFile } from "../blobs/blob-store.ts";
import { untilStored } from "../../nodes/wait-out.ts";
import { whileUnavailable } from "../blobs/unavailable.ts";
import { outboundFailure } from "../outbound-clients.ts";

const lookAgainMs = 2_000;
const maxAtOnce = 3;
const maxRedirects = 5;
const timeoutMs = hourMs;

interface ImportDependencies extends FileDependencies {
  http: OutboundHttp;
}
type Progress = NonNullable<Asset["progress"]>;

/** A failure whose reason the operator may see. */
class ImportError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class Imports {
  readonly #dependencies: ImportDependencies;
  readonly #queue: BackgroundQueue<AssetRow>;
  readonly #active = new Map<string, { progress: Progress; cancel: AbortController }>();

  constructor(dependencies: ImportDependencies) {
    this.#dependencies = dependencies;
    this.#queue = new BackgroundQueue(dependencies.clock, {
      maxAtOnce,
      ...(dependencies.nodes.isShared && { lookAgainMs }),
      findNext: (running) => this.#findNext(running),
      process: (row, signal) => this.#process(row, signal),
    });
  }

  /** Looks for pending imports. */
  wake(): void {
    this.#queue.wake();
  }

  /** The progress of a running import, else null. */
  progressOf(assetId: string): Progress | null {
    return this.#active.get(assetId)?.progress ?? null;
  }

  /** Ends the import of an asset that was deleted. */
  cancel(assetId: string): void {
    this.#active.get(assetId)?.cancel.abort();
  }

  /** Imports until `signal` aborts. The next start repeats the interrupted imports. */
  run(signal: AbortSignal): Promise<void> {
    return this.#queue.run(signal);
  }

  #findNext(running: readonly AssetRow[]): Promise<AssetRow | undefined> {
    const ids = running.map(({ id }) => id);
    const rows = this.#dependencies.store.db.selectFrom("assets").selectAll().where("status", "=", "importing");
    return (ids.length === 0 ? rows : rows.where("id", "not in", ids)).orderBy("created_at").limit(1).executeTakeFirst();
  }

  async #process(row: AssetRow, signal: AbortSignal): Promise<void> {
    const cancel = new AbortController();
    const progress: Progress = { received_bytes: 0, total_bytes: null };
    this.#active.set(row.id, { progress, cancel });
    try {
      await this.#import(row, progress, AbortSignal.any([signal, cancel.signal, AbortSignal.timeout(timeoutMs)]));
    } catch (error) {
      // A stopped import stays pending; a cancelled one has no asset any more.
      if (signal.aborted || cancel.signal.aborted) return;
      // An error of the database says nothing about the address: the import stays pending, too, and is repeated.
      if (isOutlived(error)) throw error;
      await untilStored(this.#dependencies, signal, () => this.#fail(row, error));
    } finally {
      this.#active.delete(row.id);
    }
  }

  async #import(row: AssetRow, progress: Progress, signal: AbortSignal): Promise<void> {
    const { blobs, http, maxAssetBytes, store, thumbnails } = this.#dependencies;
    const response = await http.request(row.source_url!, { maxRedirects, signal, headers: { accept: "*/*" } });
    await using received = await this.#receive(response, progress, maxAssetBytes, blobs);
    await using examined = await examineFile(this.#dependencies, received.path, typeOf(response), row.team_id);
    await whileUnavailable(this.#dependencies, signal, () => prepareFile(blobs, received, examined));
    signal.throwIfAborted();
    await store.write(async (db) => {
      // The query may hold a signature, which is not needed any more.
      const source = { source_url: withoutQuery(row.source_url!), updated_at: Math.trunc(this.#dependencies.clock.now()) };
      await keepFile(blobs, db, received, examined);
      await db
        .updateTable("assets")
        .set({ ...fileColumns(received, examined), ...source })
        .where("id", "=", row.id)
        .execute();
      await this.#dependencies.events.append(db, [assetEvent("asset.ready", { ...row, kind: examined.media.kind })]);
    });
    thumbnails.wake();
  }

  async #receive(response: OutboundResponse, progress: Progress, maxBytes: number, blobs: BlobStore): Promise<ReceivedFile> {
    const length = Number(response.headers["content-length"] ?? Number.NaN);
    try {
      if (response.status !== 200)
        throw new ImportError("bad-answer", `${response.url.host} responded with status ${response.status}: check the address`);
      const encoding = String(response.headers["content-encoding"] ?? "identity");
      if (encoding !== "identity")
        throw new ImportError(
          "bad-answer",
          `${response.url.host} sent the file with Content-Encoding ${encoding}, which the request did not accept`,
        );
      if (length > maxBytes) throw new ImportError("too-large", `The file has ${length} bytes; the limit is ${maxBytes}`);
      progress.total_bytes = Number.isFinite(length) ? length : null;
      return await blobs.receive(response.body as AsyncIterable<Uint8Array>, maxBytes, (bytes) => (progress.received_bytes = bytes));
    } catch (error) {
      response.body.on("error", () => undefined).destroy();
      throw error;
    }
  }

  async #fail(row: AssetRow, error: unknown): Promise<void> {
    const { clock, log, store } = this.#dependencies;
    const failure = explain(error);
    const source_url = withoutQuery(row.source_url!);
    await store.write(async (db) => {
      await db
        .updateTable("assets")
        .set({ status: "failed", error: JSON.stringify(failure), source_url, updated_at: Math.trunc(clock.now()) })
        .where("id", "=", row.id)
        .execute();
      await this.#dependencies.events.append(db, [assetEvent("asset.failed", row)]);
    });
    log.info({ asset_id: row.id, name: row.name, code: failure.code, reason: reasonOf(error) }, "import failed");
  }
}

function typeOf(response: OutboundResponse): string | undefined {
  const type = response.headers["content-type"];
  return typeof type === "string" ? type : undefined;
}

/** The failure as operators see it. It must not reveal anything about the service's own network. */
function explain(error: unknown): { code: string; detail: string } {
  if (isFault(error, "refused")) return { code: "address-refused", detail: error.message };
  if (error instanceof ImportError) return { code: error.code, detail: error.message };
  if (error instanceof ProblemError) return { code: error.kind, detail: error.message };
  if (isAbort(error) || (error instanceof Error && error.name === "TimeoutError")) {
    return { code: "timeout", detail: "The download took longer than an hour: upload the file instead" };
  }
  return { code: "unreachable", detail: `The download failed (${outboundFailure(error)}): check the address and import it again` };
}
