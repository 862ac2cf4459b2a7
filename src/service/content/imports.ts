// Fetches assets from addresses that operators name: in the background, a few at a time, begun anew after a restart.
import { Signal } from "../../base/async/signal.ts";
import type { Clock } from "../../base/clock.ts";
import { isAbort, isFault, reasonOf } from "../../base/fault.ts";
import type { OutboundHttp, OutboundResponse } from "../../base/http/outbound-http.ts";
import type { Log } from "../../base/log.ts";
import type { Asset } from "../../protocol/content/assets.ts";
import { assetEvent, examineFile } from "./asset-creation.ts";
import { fileColumns, withoutQuery } from "./asset-rows.ts";
import type { Blobs, ReceivedFile } from "./blobs.ts";
import { outboundFailure } from "./outbound-clients.ts";
import type { MediaProcessPool } from "../media/process-pool.ts";
import { ProblemError } from "../http/problem.ts";
import type { EventJournal } from "../events/event-journal.ts";
import type { Store } from "../store/store.ts";
import type { AssetRow } from "../store/tables.ts";
import type { Thumbnails } from "./thumbnails.ts";

const atOnce = 3;
const maxRedirects = 5;
const longestMs = 3_600_000;

interface ImportParts {
  blobs: Blobs;
  store: Store;
  clock: Clock;
  log: Log;
  events: EventJournal;
  http: OutboundHttp;
  thumbnails: Thumbnails;
  media: MediaProcessPool;
  maxAssetBytes: number;
}
type Progress = NonNullable<Asset["progress"]>;

/** A failure that the operator is told. */
class ImportFailed extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class Imports {
  readonly #parts: ImportParts;
  readonly #bell = new Signal();
  readonly #underWay = new Map<string, { progress: Progress; cancel: AbortController; done: Promise<void> }>();

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  /** Says that there is something to fetch. */
  wake(): void {
    this.#bell.notify();
  }

  /** How far an import is; null for one that is not under way. */
  progressOf(assetId: string): Progress | null {
    return this.#underWay.get(assetId)?.progress ?? null;
  }

  /** Ends an import whose asset is gone. */
  cancel(assetId: string): void {
    this.#underWay.get(assetId)?.cancel.abort();
  }

  /** Works until `signal` aborts and waits for what is under way. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        for (const row of await this.#due()) if (this.#underWay.size < atOnce) this.#begin(row, signal);
        await this.#bell.wait(this.#parts.clock, Number.POSITIVE_INFINITY, signal);
      }
    } finally {
      await Promise.all([...this.#underWay.values()].map(({ done }) => done));
    }
  }

  async #due(): Promise<AssetRow[]> {
    const busy = [...this.#underWay.keys()];
    const rows = this.#parts.store.db.selectFrom("assets").selectAll().where("status", "=", "importing");
    return (busy.length === 0 ? rows : rows.where("id", "not in", busy)).orderBy("created_at").limit(atOnce).execute();
  }

  #begin(row: AssetRow, signal: AbortSignal): void {
    const cancel = new AbortController();
    const progress: Progress = { received_bytes: 0, total_bytes: null };
    const limits = AbortSignal.any([signal, cancel.signal, AbortSignal.timeout(longestMs)]);
    const done = this.#import(row, progress, limits)
      .catch(async (error: unknown) => {
        // Stopped or no longer wanted: the row says what there is left to do.
        if (!signal.aborted && !cancel.signal.aborted) await this.#fail(row, error);
      })
      .finally(() => {
        this.#underWay.delete(row.id);
        this.wake();
      });
    // A failure to write down a failure is the database's: it has been logged, and the row is still due.
    this.#underWay.set(row.id, {
      progress,
      cancel,
      done: done.catch((error: unknown) =>
        this.#parts.log.error({ err: error, asset_id: row.id }, "an import's failure could not be kept"),
      ),
    });
  }

  async #import(row: AssetRow, progress: Progress, signal: AbortSignal): Promise<void> {
    const { blobs, http, maxAssetBytes, store, thumbnails } = this.#parts;
    const answer = await http.request(row.source_url!, { maxRedirects, signal, headers: { accept: "*/*" } });
    await using received = await this.#receive(answer, progress, maxAssetBytes, blobs);
    await using examined = await examineFile(this.#parts, received.path, typeOf(answer), row.team_id);
    signal.throwIfAborted();
    await store.write(async (db) => {
      // The address may hold a signature; once it has served it is kept without.
      const source = { source_url: withoutQuery(row.source_url!), updated_at: Math.trunc(this.#parts.clock.now()) };
      await blobs.keep(received);
      if (examined.converted !== null) await blobs.keep(examined.converted);
      await db
        .updateTable("assets")
        .set({ ...fileColumns(received, examined), ...source })
        .where("id", "=", row.id)
        .execute();
      await this.#parts.events.append(db, [assetEvent("asset.ready", { ...row, kind: examined.media.kind })]);
    });
    thumbnails.wake();
  }

  async #receive(answer: OutboundResponse, progress: Progress, maxBytes: number, blobs: Blobs): Promise<ReceivedFile> {
    const length = Number(answer.headers["content-length"] ?? Number.NaN);
    try {
      if (answer.status !== 200) throw new ImportFailed("bad-answer", `${answer.url.host} answered ${answer.status}: check the address`);
      const encoding = String(answer.headers["content-encoding"] ?? "identity");
      if (encoding !== "identity")
        throw new ImportFailed("bad-answer", `${answer.url.host} sent it as ${encoding}, though it was asked not to`);
      if (length > maxBytes) throw new ImportFailed("too-large", `The file has ${length} bytes, at most ${maxBytes} are taken`);
      progress.total_bytes = Number.isFinite(length) ? length : null;
      return await blobs.receive(answer.body as AsyncIterable<Uint8Array>, maxBytes, (bytes) => (progress.received_bytes = bytes));
    } catch (error) {
      answer.body.on("error", () => undefined).destroy();
      throw error;
    }
  }

  async #fail(row: AssetRow, error: unknown): Promise<void> {
    const { clock, log, store } = this.#parts;
    const failure = explain(error);
    const source_url = withoutQuery(row.source_url!);
    await store.write(async (db) => {
      await db
        .updateTable("assets")
        .set({ status: "failed", error: JSON.stringify(failure), source_url, updated_at: Math.trunc(clock.now()) })
        .where("id", "=", row.id)
        .execute();
      await this.#parts.events.append(db, [assetEvent("asset.failed", row)]);
    });
    log.info({ asset_id: row.id, name: row.name, code: failure.code, reason: reasonOf(error) }, "an import failed");
  }
}

function typeOf(answer: OutboundResponse): string | undefined {
  const type = answer.headers["content-type"];
  return typeof type === "string" ? type : undefined;
}

/** A failure as the asset tells it. What went wrong inside the network stays as plain as the operator needs it. */
function explain(error: unknown): { code: string; detail: string } {
  if (isFault(error, "refused")) return { code: "address-refused", detail: error.message };
  if (error instanceof ImportFailed) return { code: error.code, detail: error.message };
  if (error instanceof ProblemError) return { code: error.kind, detail: error.message };
  if (isAbort(error) || (error instanceof Error && error.name === "TimeoutError")) {
    return { code: "timeout", detail: "It took longer than an hour: upload the file instead" };
  }
  return { code: "unreachable", detail: `It could not be fetched, ${outboundFailure(error)}: check the address and import it again` };
}
