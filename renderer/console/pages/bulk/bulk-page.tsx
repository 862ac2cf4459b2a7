// The selected screens as a list, from which screens can be removed before an action.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { clearSelection, select, useSelection } from "../../data/selection.ts";
import { texts } from "../../i18n/texts.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Page } from "../../ui/page.tsx";
import type { BulkSearch } from "./routes.ts";
import { useScreenName } from "./screen-name.tsx";
import "./bulk.css";

const text = texts("common", "bulk");

export function BulkPage() {
  const { ids } = useSearch({ strict: false }) as BulkSearch;
  const navigate = useNavigate();
  const selection = useSelection();
  useEffect(() => {
    if (ids === undefined) return;
    clearSelection();
    select(ids.split(",").filter((id) => /^plr_[0-9a-z]{26}$/.test(id)));
    // From here on only the person changes the selection.
    void navigate({ to: "/screens/bulk", search: {}, replace: true });
  }, [ids, navigate]);
  const list = useRef<HTMLDivElement>(null);
  const selectedIds = [...selection];
  const rows = useVirtualizer({
    count: selectedIds.length,
    getScrollElement: () => list.current,
    // As in its style.
    estimateSize: () => 52,
    getItemKey: (index) => selectedIds[index]!,
  });
  return (
    <Page title={text("pageTitle")}>
      {selectedIds.length === 0 ? (
        <EmptyState icon="screens" title={text("pageEmptyTitle")} text={text("pageEmptyText")}>
          <Link to="/" className="button">
            {text("toScreens")}
          </Link>
        </EmptyState>
      ) : (
        <div ref={list} className="card bulk-selected" tabIndex={0} role="region" aria-label={text("pageTitle")}>
          <ul style={{ blockSize: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ key, index, start }) => (
              <li className="grid middle" key={key} style={{ transform: `translateY(${start}px)` }}>
                <SelectedScreen id={selectedIds[index]!} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Page>
  );
}

function SelectedScreen({ id }: { id: string }) {
  const name = useScreenName(id) ?? text("loading");
  return (
    <Checkbox isSelected onChange={() => select([id], false)} aria-label={text("deselect", { name })}>
      <bdi className="bulk-name break-words">{name}</bdi>
    </Checkbox>
  );
}
