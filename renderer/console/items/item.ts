// The items of a playlist as they are read and changed.
import type { ItemType } from "../../../src/protocol/content/item-kinds.ts";
import type { Schemas } from "../../../sdk/typescript/client.ts";

/** An item in a change; without an id it is new. */
export type Item = Schemas["NewPlaylistItem"];
export type Kind = ItemType;
export type ItemOf<K extends Kind> = Extract<Item, { type: K }>;

/** An item as the service stores it, with an id. */
export type StoredItem = Schemas["PlaylistItem"];
