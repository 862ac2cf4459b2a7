// How the editor saves, without a page and without a service.
import { expect, test } from "vitest";
import { changeRows, removeRows, shiftRows } from "../../../renderer/console/pages/playlists/model/edits.ts";
import { PlaylistEditor, type EditorPort, type Stored } from "../../../renderer/console/pages/playlists/model/editor.ts";
import type { Item, StoredItem } from "../../../renderer/console/items/item.ts";
import { withDefaults } from "../../../renderer/console/pages/playlists/model/defaults.ts";
import { eventually } from "../../support/polling.ts";

const itemOf = (text: string): Item => withDefaults({ type: "text", text } as Item);

/** A service in memory. Saves wait at its gate while it is closed. */
class FakeService implements EditorPort {
  items: StoredItem[];
  version = 1;
  saves = 0;
  merged = 0;
  gate: Promise<void> = Promise.resolve();
  #next = 1;

  constructor(...words: readonly string[]) {
    this.items = words.map((word) => this.#stored(itemOf(word)));
  }

  #stored(item: Item): StoredItem {
    return { ...item, id: item.id ?? `itm_${this.#next++}` } as StoredItem;
  }

  get stored(): Stored {
    return { etag: String(this.version), items: this.items };
  }

  get words(): string {
    return this.items.map((item) => (item as { text: string }).text).join(" ");
  }

  /** Somebody else's change. */
  change(items: readonly (StoredItem | Item)[]): void {
    this.items = items.map((item) => this.#stored(item as Item));
    this.version += 1;
  }

  async save(items: readonly Item[], etag: string): Promise<Stored> {
    await this.gate;
    if (etag !== String(this.version)) throw new RangeError("outdated");
    this.saves += 1;
    this.change(items);
    return this.stored;
  }

  async read(): Promise<Stored> {
    return this.stored;
  }

  isOutdated(error: unknown): boolean {
    return error instanceof RangeError;
  }

  faultsIn(): [] {
    return [];
  }

  onMerged(): void {
    this.merged += 1;
  }
}

const keyOf = (editor: PlaylistEditor, word: string): string =>
  editor.view.rows.find(({ item }) => (item as { text: string }).text === word)!.key;
const isSaved = (editor: PlaylistEditor) => eventually(() => editor.view.state === "saved");

test("[CPL15] one save runs at a time and takes the newest rows; new items keep their keys when they get their ids", async () => {
  const service = new FakeService("a", "b");
  const editor = new PlaylistEditor(service.stored, service);
  const gate = Promise.withResolvers<void>();
  service.gate = gate.promise;
  const [row] = editor.newRows([itemOf("c")]);
  editor.change([...editor.view.rows, row!]);
  for (const word of ["d", "e", "f"]) editor.change(changeRows(editor.view.rows, new Set([row!.key]), { text: word }));
  expect(editor.view.state).toBe("saving");
  gate.resolve();
  await isSaved(editor);
  expect([service.words, service.saves]).toEqual(["a b f", 2]);
  expect(keyOf(editor, "f")).toBe(row!.key);
  // Its id is known: a change keeps the item what it is.
  const { id } = service.items[2]!;
  editor.change(changeRows(editor.view.rows, new Set([row!.key]), { text: "g" }));
  await isSaved(editor);
  expect(service.items[2]!.id).toBe(id);
  editor.undo();
  editor.undo();
  await isSaved(editor);
  expect(service.words).toBe("a b e");
});

test("[CPL16] a save that is outdated is merged and repeated; a contradiction waits for the person, and each answer is what it says", async () => {
  for (const [answer, words] of [
    ["keepBoth", "mine b x"],
    ["keepMine", "mine b"],
    ["takeTheirs", "theirs b x"],
  ] as const) {
    const service = new FakeService("a", "b");
    const editor = new PlaylistEditor(service.stored, service);
    service.change([...service.items, itemOf("x")]);
    editor.change(shiftRows(editor.view.rows, new Set([keyOf(editor, "b")]), -1));
    await isSaved(editor);
    expect([service.words, service.merged]).toEqual(["b a x", 1]);
    editor.undo();
    await isSaved(editor);
    expect(service.words).toBe("a b x");

    editor.change(removeRows(editor.view.rows, new Set([keyOf(editor, "x")])));
    await isSaved(editor);
    service.change([{ ...service.items[0]!, text: "theirs" } as StoredItem, service.items[1]!, itemOf("x")]);
    editor.change(changeRows(editor.view.rows, new Set([keyOf(editor, "a")]), { text: "mine" }));
    await eventually(() => editor.view.state === "conflict");
    expect(editor.view.conflicts).toMatchObject([{ is: "fields", fields: ["text"] }]);
    editor[answer]();
    await isSaved(editor);
    expect([answer, service.words]).toEqual([answer, words]);
  }
});
