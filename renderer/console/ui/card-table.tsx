// A table of records. On a phone each record becomes a card, with the names of the columns beside its values.
import type { ReactNode } from "react";
import "./card-table.css";

export interface Column<T> {
  name: string;
  /** The name is only read aloud, such as above buttons. */
  isNameHidden?: boolean;
  /** `main` names the record and becomes the heading of its card; `text` is as long as people wrote it; `actions` are at its end. */
  is?: "main" | "text" | "actions";
  cell: (item: T) => ReactNode;
}

export interface CardTableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  items: readonly T[];
  keyOf: (item: T) => string;
}

export function CardTable<T>({ label, columns, items, keyOf }: CardTableProps<T>) {
  // The roles are written out, because a table that is shown as cards is no table to some screen readers.
  return (
    <div className="table-frame box">
      <table className="card-table" role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ name, is, isNameHidden = false }) => (
              <th className="pad-2-4 sunken tiny bold faint nowrap text-start" key={name} role="columnheader" scope="col" data-is={is}>
                {isNameHidden ? <span className="visually-hidden">{name}</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item) => (
            <tr key={keyOf(item)} role="row">
              {columns.map(({ name, is, isNameHidden = false, cell }) => (
                <td
                  className="pad-2-4 line-above"
                  key={name}
                  role={is === "main" ? "rowheader" : "cell"}
                  data-is={is}
                  data-name={isNameHidden ? undefined : name}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
