// A table of a list that is read page by page, with a placeholder while the list is empty.
import type { ReactNode } from "react";
import type { PagedList } from "../data/paged.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { CardTable, type CardTableProps } from "./card-table.tsx";
import { ProblemMessage } from "./problem-message.tsx";

const text = texts("common");

interface PagedTableProps<T> extends Omit<CardTableProps<T>, "items"> {
  list: PagedList<T>;
  /** Shown instead of the table if there is nothing in it. */
  empty: ReactNode;
}

export function PagedTable<T>({ list: { items, error, hasMore, isReadingMore, readMore }, empty, ...table }: PagedTableProps<T>) {
  return (
    <>
      <ProblemMessage error={error} />
      {items === undefined ? (
        error === null ? (
          <p className="faint">{text("loading")}</p>
        ) : null
      ) : items.length === 0 ? (
        empty
      ) : (
        <CardTable {...table} items={items} />
      )}
      {hasMore ? (
        <div className="wrap gap-2 above-2 centered">
          <Button isPending={isReadingMore} onPress={readMore}>
            {text("showMore")}
          </Button>
        </div>
      ) : null}
    </>
  );
}
