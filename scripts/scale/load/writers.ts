// Writers under faults: each insists on what it creates, and changes playlists of its own by If-Match. Records what was acknowledged.
import { createHash, randomBytes } from "node:crypto";
import { newId } from "../../../test/support/states.ts";
import type { SoakRun } from "../../soak/soak-run.ts";
import type { Acknowledged, Register } from "./acknowledged.ts";
import type { Json, LoadClient } from "./client.ts";

export interface WriterPlace {
  run: SoakRun;
  client: LoadClient;
  known: Acknowledged;
  /** Where the next request goes: the proxy or a node. */
  chooseUrl: () => string;
  /** Players that carry out commands. */
  playerIds: readonly string[];
  /** A pairing code that a new device shows, if the writer may pair; null: no device is asked for one. */
  showCode: (() => Promise<string | null>) | null;
  /** Whether files are uploaded too. */
  uploads: boolean;
}

const longestPauseMs = 120;
const commandTtlSeconds = 3_600;

/** Writes until `signal` aborts. @param lane makes its names unique. */
export async function runWriter(place: WriterPlace, lane: string, signal: AbortSignal): Promise<void> {
  const { run } = place;
  const writer = new Writer(place, lane, signal);
  while (!signal.aborted) {
    try {
      await writer.writeOne();
    } catch (error) {
      if (signal.aborted) return;
      run.violate(`writer ${lane}: ${error instanceof Error ? error.message : String(error)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, run.random.integer(0, longestPauseMs)));
  }
}

class Writer {
  readonly #place: WriterPlace;
  readonly #lane: string;
  readonly #signal: AbortSignal;
  readonly #registers: Register[] = [];
  #count = 0;

  constructor(place: WriterPlace, lane: string, signal: AbortSignal) {
    this.#place = place;
    this.#lane = lane;
    this.#signal = signal;
  }

  async writeOne(): Promise<void> {
    const { random } = this.#place.run;
    const kind = random.next();
    if (this.#registers.length < 2) return this.#createRegister();
    if (kind < 0.35) return this.#rename(random.pick(this.#registers));
    if (kind < 0.55) return this.#createPlaylist();
    if (kind < 0.65) return this.#createLayout();
    if (kind < 0.78 && this.#place.playerIds.length > 0) return this.#command(random.pick(this.#place.playerIds));
    if (kind < 0.88) return this.#publishDraft();
    if (kind < 0.93 && this.#place.uploads) return this.#upload();
    if (kind < 0.96 && this.#place.showCode !== null) return this.#pair(this.#place.showCode);
    return this.#createPlaylist();
  }

  async #create(path: string, body: object, headers: Record<string, string> = {}): Promise<Json> {
    const { client, chooseUrl } = this.#place;
    return (await client.insist(chooseUrl, { method: "POST", path, body, headers }, newId("key"), this.#signal)).body;
  }

  #name(): string {
    return `${this.#lane}-${(this.#count += 1)}`;
  }

  async #createPlaylist(): Promise<void> {
    const name = this.#name();
    const { id } = await this.#create("playlists", { name });
    this.#place.known.playlists.set(id, name);
    this.#acknowledge("playlist.created", id, name);
  }

  async #createLayout(): Promise<void> {
    const name = this.#name();
    const zones = [{ name: "main", left: 0, top: 0, width: 100, height: 100 }];
    const { id } = await this.#create("layouts", { name, width: 100, height: 100, zones });
    this.#place.known.layouts.set(id, name);
    this.#acknowledge("layout.created", id, name);
  }

  async #createRegister(): Promise<void> {
    const name = this.#name();
    const { id } = await this.#create("playlists", { name });
    this.#acknowledge("playlist.created", id, name);
    const register: Register = { id, name, etag: "", pending: [] };
    await this.#read(register);
    this.#registers.push(register);
    this.#place.known.registers.push(register);
  }

  /** Renames it by If-Match. Without an answer the next attempt decides, since only one of both can match. */
  async #rename(register: Register): Promise<void> {
    const { client, chooseUrl } = this.#place;
    const name = this.#name();
    const asked = { method: "PATCH", path: `playlists/${register.id}`, body: { name }, headers: { "if-match": register.etag } } as const;
    const outcome = await client.send(chooseUrl(), asked);
    if (outcome.is === "refused") return;
    if (outcome.is === "answered" && outcome.status === 200) {
      Object.assign(register, { name, etag: String(outcome.headers["etag"]), pending: [] });
      return this.#acknowledge("playlist.updated", register.id, name);
    }
    if (outcome.is === "answered" && outcome.status === 412) return this.#read(register);
    register.pending.push(name);
    if (outcome.is === "answered" && outcome.status !== 503) throw new Error(`PATCH: ${outcome.status} ${JSON.stringify(outcome.body)}`);
  }

  /** Reads its name and ETag. Another name than those that were sent is a lost write. */
  async #read(register: Register): Promise<void> {
    const { client, chooseUrl, run } = this.#place;
    for (;;) {
      this.#signal.throwIfAborted();
      const outcome = await client.send(chooseUrl(), { method: "GET", path: `playlists/${register.id}` });
      if (outcome.is === "answered" && outcome.status === 200) {
        const { name } = outcome.body as { name: string };
        if (register.name !== name && !register.pending.includes(name))
          run.violate(`playlist ${register.id} is called ${name} instead of ${register.name} or ${register.pending.join(", ")}`);
        Object.assign(register, { name, etag: String(outcome.headers["etag"]), pending: name === register.name ? register.pending : [] });
        return;
      }
      if (outcome.is === "answered" && outcome.status < 500) return run.violate(`playlist ${register.id}: ${outcome.status}`);
      await run.pause(100);
    }
  }

  async #command(playerId: string): Promise<void> {
    const body = { type: "ping", ttl_s: commandTtlSeconds };
    const { id } = await this.#create(`players/${playerId}/commands`, body);
    this.#place.known.commands.add(id);
  }

  async #publishDraft(): Promise<void> {
    const name = this.#name();
    const draft = await this.#create("drafts", { name });
    await this.#create("playlists", { name }, { "signage-draft": draft.id });
    const { version } = await this.#create(`drafts/${draft.id}/publish`, {});
    this.#place.known.versions.set(draft.id, (version as unknown as { number: number }).number);
  }

  async #upload(): Promise<void> {
    // A text file that nobody examines would be refused: it is a picture of one pixel with its own comment.
    const bytes = uniquePicture();
    const { client, chooseUrl, known } = this.#place;
    const asked = { method: "POST", path: `assets?name=${this.#name()}.svg`, body: bytes } as const;
    const { body } = await client.insist(chooseUrl, asked, newId("key"), this.#signal);
    known.assets.set(body.id, createHash("sha256").update(bytes).digest("hex"));
  }

  async #pair(showCode: NonNullable<WriterPlace["showCode"]>): Promise<void> {
    const code = await showCode();
    if (code === null) return;
    const name = this.#name();
    const { id } = await this.#create("players/pair", { code, name });
    this.#place.known.players.set(id, name);
  }

  #acknowledge(type: string, id: string, name: string): void {
    this.#place.known.changes.push({ type, id, name, at: performance.now() });
  }
}

/** A picture that no other one equals, of some kilobytes. */
function uniquePicture(): Buffer {
  const path = `M0 0 ${Array.from({ length: 200 }, (_, place) => `L${place} ${randomBytes(2).readUInt16BE()}`).join(" ")}`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><path d="${path}"/></svg>`);
}
