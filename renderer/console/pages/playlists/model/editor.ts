// A playlist while a person changes it: shown at once, saved one change after another, merged with the changes of others. Knows no page.
import { faultsOf, type Fault } from "./defaults.ts";
import { endStep, emptyHistory, record, redoStep, undoStep, type History } from "./history.ts";
import { isSameRows, merge, type Conflict } from "./merge.ts";
import type { Item, StoredItem } from "../../../items/item.ts";
import { RowKeys, type Row } from "./rows.ts";

/** A version of the playlist. */
export interface Stored {
  etag: string;
  items: readonly StoredItem[];
}

/** How the editor reaches the service. */
export interface EditorPort {
  /** Replaces the items if the playlist is still the version `etag`. */
  save(items: readonly Item[], etag: string): Promise<Stored>;
  read(): Promise<Stored>;
  /** True if saving failed because the version is no longer the newest. */
  isOutdated(error: unknown): boolean;
  /** The faults that the service found, by the index of the item. */
  faultsIn(error: unknown): readonly (Fault & { index: number })[];
  /** Somebody else's change, which made the version `etag`, was merged with an unsaved one. */
  onMerged(etag: string): void;
}

/** `incomplete`: something is missing that only the person can say. `conflict`: somebody else's change contradicts theirs. */
export type SaveState = "saved" | "saving" | "incomplete" | "conflict" | "failed";

export interface EditorView {
  rows: readonly Row[];
  state: SaveState;
  /** Why saving failed; null: it did not. */
  error: unknown;
  conflicts: readonly Conflict[];
  /** The version that contradicts the rows; null: none does. */
  theirs: string | null;
  /** The faults of rows, by their keys. */
  faults: ReadonlyMap<string, readonly Fault[]>;
  canUndo: boolean;
  canRedo: boolean;
}

/** A version with its rows. */
interface Base extends Stored {
  rows: readonly Row[];
}

const typingMs = 700;
const noFaults: EditorView["faults"] = new Map();

export class PlaylistEditor {
  readonly #keys = new RowKeys();
  readonly #port: EditorPort;
  readonly #listeners = new Set<() => void>();
  #base: Base;
  /** A newer version that arrived while a save was on its way, or that contradicts the rows. */
  #theirs: Base | null = null;
  #history: History = emptyHistory;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSaving = false;
  #view: EditorView;

  constructor(version: Stored, port: EditorPort) {
    this.#port = port;
    this.#base = this.#baseOf(version);
    this.#view = {
      rows: this.#base.rows,
      state: "saved",
      error: null,
      conflicts: [],
      theirs: null,
      faults: noFaults,
      canUndo: false,
      canRedo: false,
    };
  }

  get view(): EditorView {
    return this.#view;
  }

  /** @returns the function that ends listening */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Rows for new items. They are not part of the playlist until {@link change}. */
  newRows(items: readonly Item[]): Row[] {
    return this.#keys.newRows(items);
  }

  /** Shows other rows, and saves them: at once, or a moment after the last change that `joins` the one before. */
  change(rows: readonly Row[], joins?: string): void {
    if (isSameRows(rows, this.#view.rows)) return;
    this.#history = record(this.#history, { before: this.#view.rows, after: rows, joins });
    this.#show(rows);
    this.#saveSoon(joins === undefined ? 0 : typingMs);
  }

  /** Ends typing: the typed text is saved at once, and is one step of its own. */
  readonly settle = (): void => {
    this.#history = endStep(this.#history);
    if (this.#timer !== undefined) this.#saveSoon(0);
  };

  readonly undo = (): void => this.#go(undoStep(this.#history, this.#view.rows));
  readonly redo = (): void => this.#go(redoStep(this.#history, this.#view.rows));

  /** A version that was read, such as after an event. */
  receive(version: Stored): void {
    if (version.etag === this.#base.etag || version.etag === this.#theirs?.etag) return;
    const theirs = this.#baseOf(version);
    if (this.#isSaving) this.#theirs = theirs;
    else this.#join(theirs);
  }

  /** After a conflict: both changes where they agree; where they do not, mine. */
  readonly keepBoth = (): void => this.#resolve((theirs) => merge(this.#base.rows, this.#view.rows, theirs.rows).rows);
  /** After a conflict: only the rows that are shown here. */
  readonly keepMine = (): void => this.#resolve(() => this.#view.rows);
  /** After a conflict: only the stored rows. */
  readonly takeTheirs = (): void => this.#resolve((theirs) => theirs.rows);
  readonly retry = (): void => void this.#save();

  /** The page is left: saves unsaved changes. The editor may be used again. */
  readonly leave = (): void => {
    if (this.#timer !== undefined) this.#saveSoon(0);
  };

  #baseOf(version: Stored): Base {
    return { ...version, rows: this.#keys.rowsOf(version.items) };
  }

  #update(changes: Partial<EditorView>): void {
    const { past, future } = this.#history;
    this.#view = { ...this.#view, ...changes, canUndo: past.length > 0, canRedo: future.length > 0 };
    for (const listener of this.#listeners) listener();
  }

  #show(rows: readonly Row[]): void {
    const faultsByKey = new Map<string, readonly Fault[]>();
    for (const { key, item } of rows) {
      const faults = faultsOf(item);
      if (faults.length > 0) faultsByKey.set(key, faults);
    }
    const isOpen = this.#view.state === "conflict";
    this.#update({ rows, faults: faultsByKey, error: null, ...(isOpen ? {} : { state: faultsByKey.size > 0 ? "incomplete" : "saving" }) });
  }

  #go(next: { rows: readonly Row[]; history: History } | null): void {
    if (next === null) return;
    this.#history = next.history;
    this.#show(next.rows);
    this.#saveSoon(0);
  }

  #saveSoon(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (ms === 0) void this.#save();
    else
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        void this.#save();
      }, ms);
  }

  /** Saves until the rows on the page are stored. One request at a time. */
  async #save(): Promise<void> {
    if (this.#isSaving || this.#isInConflict() || this.#view.faults.size > 0) return;
    this.#isSaving = true;
    try {
      while (!isSameRows(this.#view.rows, this.#base.rows)) {
        if (this.#view.faults.size > 0 || this.#timer !== undefined) return;
        this.#update({ state: "saving", error: null });
        const { rows } = this.#view;
        const answer = await this.#port.save(this.#keys.itemsOf(rows, this.#base.items), this.#base.etag);
        this.#keys.learn(rows, answer.items);
        this.#base = this.#baseOf(answer);
        if (this.#view.rows === rows) this.#update({ rows: this.#base.rows });
        if (this.#theirs?.etag === answer.etag) this.#theirs = null;
      }
      this.#update({ state: "saved", error: null });
    } catch (error) {
      if (this.#port.isOutdated(error)) await this.#catchUp();
      else this.#fail(error);
    } finally {
      this.#isSaving = false;
    }
    if (this.#theirs !== null && !this.#isInConflict()) this.#join(this.#theirs);
  }

  #isInConflict(): boolean {
    return this.#view.state === "conflict";
  }

  async #catchUp(): Promise<void> {
    try {
      this.#theirs = this.#baseOf(await this.#port.read());
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const faults = Map.groupBy(this.#port.faultsIn(error), ({ index }) => this.#view.rows[index]?.key ?? "");
    this.#update({ state: "failed", error, faults });
  }

  /** Goes on from a newer version of somebody else. */
  #join(theirs: Base): void {
    const { rows } = this.#view;
    this.#theirs = null;
    if (isSameRows(rows, this.#base.rows)) {
      this.#base = theirs;
      this.#update({ rows: theirs.rows, state: "saved" });
      return;
    }
    const result = merge(this.#base.rows, rows, theirs.rows);
    if (result.conflicts.length > 0) {
      this.#theirs = theirs;
      this.#update({ state: "conflict", conflicts: result.conflicts, theirs: theirs.etag });
      return;
    }
    this.#base = theirs;
    this.#port.onMerged(theirs.etag);
    this.#update({ state: "saving", conflicts: [], theirs: null });
    this.#show(result.rows);
    if (this.#timer === undefined) void this.#save();
  }

  #resolve(choose: (theirs: Base) => readonly Row[]): void {
    const theirs = this.#theirs;
    if (theirs === null) return;
    const rows = choose(theirs);
    this.#theirs = null;
    this.#base = theirs;
    this.#update({ state: "saving", conflicts: [], theirs: null });
    if (isSameRows(rows, theirs.rows)) this.#update({ rows: theirs.rows, state: "saved", faults: noFaults });
    else {
      this.#show(rows);
      this.#saveSoon(0);
    }
  }
}
