// The context that the rows of the list share. Each row takes its own part of it, so that only rows whose part has changed are drawn again.
import { createContext, use } from "react";
import type { AssetsById } from "../../../../data/assets-by-id.ts";
import type { Fault } from "../../model/defaults.ts";
import type { Absence } from "../../model/loop.ts";
import type { Row } from "../../model/rows.ts";

export interface ListState {
  rows: readonly Row[];
  /** The place of each row, by its key. */
  places: ReadonlyMap<string, number>;
  selectedKeys: ReadonlySet<string>;
  assets: AssetsById;
  absences: ReadonlyMap<string, Absence>;
  nameOfCalendar: (id: string) => string;
  faults: ReadonlyMap<string, readonly Fault[]>;
  isReadOnly: boolean;
  /** The row that is about to change places with another; null: none is. */
  swapping: string | null;
  /** The settings are not beside the list: rows have a button for them. */
  hasSettingsButton: boolean;
  acts: RowActs;
}

/** The actions on one row. Always the same functions. */
export interface RowActs {
  toggle: (row: Row) => void;
  move: (row: Row, by: -1 | 1) => void;
  pressSwap: (row: Row) => void;
  setDuration: (row: Row, durationMs: number | undefined) => void;
  removeOne: (row: Row) => void;
  openSettings: (row: Row) => void;
}

export const ListContext = createContext<ListState | null>(null);

export function useListState(): ListState {
  return use(ListContext)!;
}
