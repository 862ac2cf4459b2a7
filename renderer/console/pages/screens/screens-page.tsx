// The wall of screens: those with problems first, with the cause and the remedy.
import "./screens.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useRef } from "react";
import { baseUrl } from "../../data/client.ts";
import { retryRoster, useRoster, type RosterPlayer } from "../../data/roster.ts";
import { clearSelection, select, useSelection } from "../../data/selection.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { arrange, sortByName, tagsOf } from "./arrange.ts";
import { readScreensSearch, type ScreensSearch } from "./search.ts";
import { Toolbar } from "./toolbar.tsx";
import { Wall } from "./wall.tsx";

const text = texts("screens");
const commonText = texts("common");

export function ScreensPage() {
  const { rows, total, isComplete, error } = useRoster();
  // The router leaves parameters that the route does not accept in the search.
  const rawSearch = useSearch({ strict: false });
  const search = useMemo(() => readScreensSearch(rawSearch), [rawSearch]);
  const navigate = useNavigate();
  const mayPair = useMay("players:write");
  const change = (changes: ScreensSearch): void =>
    void navigate({ to: "/", search: (before: ScreensSearch) => ({ ...before, ...changes }), replace: true, resetScroll: false });
  const byName = useByName(rows);
  const { q } = search;
  // Typing stays fluent while a long list is searched.
  const deferredInput = useDeferredValue(useMemo(() => ({ byName, search: { ...search } }), [byName, search]));
  const arrangement = useMemo(() => arrange(deferredInput.byName, deferredInput.search), [deferredInput]);
  const tags = useMemo(() => tagsOf(byName), [byName]);
  const pair = mayPair ? (
    <Link to="/pair" className="button" data-kind="primary">
      <Icon name="plus" />
      {text("pair")}
    </Link>
  ) : null;
  return (
    <Page title={text("title")} actions={rows.length > 0 ? pair : null}>
      {error === null ? null : (
        <>
          <ProblemMessage error={error} />
          <Button onPress={retryRoster}>{commonText("retry")}</Button>
        </>
      )}
      {rows.length === 0 ? (
        error === null ? (
          isComplete ? (
            <NoScreens>{pair}</NoScreens>
          ) : (
            <p role="status" className="faint">
              {commonText("loading")}
            </p>
          )
        ) : null
      ) : (
        <>
          <Toolbar search={search} onChange={change} counts={arrangement.counts} tags={tags} />
          <Results
            ids={arrangement.ids}
            loadedCount={rows.length}
            total={total ?? rows.length}
            isComplete={isComplete}
            searchKey={JSON.stringify(search)}
          />
          {arrangement.ids.length === 0 && isComplete ? (
            <EmptyState icon="search" title={text("noneMatch")} text={text("noneMatchText")}>
              <Button onPress={() => change({ q: undefined, state: undefined, tag: undefined })}>{text("showAll")}</Button>
            </EmptyState>
          ) : (
            <Wall key={q === undefined ? "all" : "found"} arrangement={arrangement} density={search.view ?? "grid"} />
          )}
        </>
      )}
    </Page>
  );
}

/** How many screens match, and buttons to select all of them. */
function Results({
  ids,
  loadedCount,
  total,
  isComplete,
  searchKey,
}: {
  ids: readonly string[];
  loadedCount: number;
  total: number;
  isComplete: boolean;
  searchKey: string;
}) {
  const selection = useSelection();
  const countText = ids.length === total ? text("count", { count: total }) : text("matching", { count: ids.length, total });
  // Read aloud once for each change of the filters: not whenever a screen changes its state.
  const announcement = useMemo(() => countText, [searchKey, isComplete]); // oxlint-disable-line react/exhaustive-deps -- see above
  return (
    <div className="wall-results cluster gap-2 soft digits">
      <p>{isComplete ? countText : text("loadingRows", { known: loadedCount, total })}</p>
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
      <Button kind="quiet" size="small" onPress={() => select(ids)}>
        {text("selectAll", { count: ids.length })}
      </Button>
      {selection.size === 0 ? null : (
        <>
          <span className="badge" data-kind="accent">
            {text("selected", { count: selection.size })}
          </span>
          <Button kind="quiet" size="small" onPress={clearSelection}>
            {text("clearSelection")}
          </Button>
        </>
      )}
    </div>
  );
}

/** The first steps before there is a screen. */
function NoScreens({ children }: { children: React.ReactNode }) {
  return (
    <section className="no-screens card stack middle gap-4 text-center">
      <span className="empty-icon center tint rounded-l accent">
        <Icon name="screens" />
      </span>
      <h2>{text("emptyTitle")}</h2>
      <ol>
        <li>{text("emptyStep1")}</li>
        <li>{text("emptyStep2")}</li>
        <li>{text("emptyStep3")}</li>
      </ol>
      <div className="wrap gap-2 above-2 centered">{children}</div>
      <p className="faint">{text("tryIt")}</p>
      <code className="no-screens-command pad-2-4 sunken rounded small break-words">npm run player -- --server {baseUrl}</code>
    </section>
  );
}

/** The rows in the order of their names. They are sorted again only if a name has changed: states change all the time. */
function useByName(rows: readonly RosterPlayer[]): readonly RosterPlayer[] {
  const cache = useRef<{ names: Map<string, string>; order: readonly string[] }>({ names: new Map(), order: [] });
  return useMemo(() => {
    const { names, order } = cache.current;
    if (names.size === rows.length && rows.every(({ id, name }) => names.get(id) === name)) {
      const byId = new Map(rows.map((row) => [row.id, row]));
      return order.map((id) => byId.get(id)!);
    }
    const byName = sortByName(rows);
    cache.current = { names: new Map(rows.map(({ id, name }) => [id, name])), order: byName.map(({ id }) => id) };
    return byName;
  }, [rows]);
}
