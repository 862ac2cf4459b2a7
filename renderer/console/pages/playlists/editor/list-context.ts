// What the rows of the list share, so that only the rows in view are drawn again when it changes.
import { createContext, use } from "react";
import type { AssetsById } from "../../../data/assets-by-id.ts";
import type { Fault } from "../model/defaults.ts";
import type { Absence } from "../model/loop.ts";
import type { Row } from "../model/rows.ts";

export interface ListState {
  /** The place of each row, by its key. */
  places: ReadonlyMap<string, number>;
  chosen: ReadonlySet<string>;
  assets: AssetsById;
  absences: ReadonlyMap<string, Absence>;
  nameOfCalendar: (id: string) => string;
  faults: ReadonlyMap<string, readonly Fault[]>;
  isReadOnly: boolean;
  /** The row that is about to change places with another; null: none is. */
  swapping: string | null;
  /** The settings are not beside the list: rows have a button for them. */
  hasSettingsButton: boolean;
  onToggle: (row: Row) => void;
  onMove: (row: Row, by: -1 | 1, name: string) => void;
  onSwap: (row: Row, name: string) => void;
  onDuration: (row: Row, durationMs: number | undefined) => void;
  onRemove: (row: Row) => void;
  onSettings: (row: Row) => void;
}

export const ListContext = createContext<ListState | null>(null);

export function useListState(): ListState {
  return use(ListContext)!;
}
