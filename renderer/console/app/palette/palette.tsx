// The search of everything (Ctrl+K): screens, files, places and actions, by some letters of their name.
import { useDeferredValue, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { useSession } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { useEntries, type Entry } from "./entries.ts";
import { fitOf, fitOfWords } from "./fuzzy.ts";
import { recentOf, remember } from "./recent.ts";
import "./palette.css";

const text = texts("palette");
/** More than anybody reads: more letters are quicker. */
const mostShown = 40;

export function Palette({ onClose }: { onClose: () => void }) {
  return (
    <ModalOverlay className="overlay palette-overlay" isOpen isDismissable onOpenChange={(isOpen) => (isOpen ? undefined : onClose())}>
      <Modal className="modal palette">
        <Dialog className="palette-dialog stack full-width" aria-label={text("title")}>
          <Search onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const teamId = useSession().team.id;
  const { entries, isLoading } = useEntries();
  const [query, setQuery] = useState("");
  const [selectedIndex, setSelectedIndex] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const search = useDeferredValue(query.trim());
  const results = useMemo(() => find(entries, search, recentOf(teamId)), [entries, search, teamId]);
  const at = Math.min(selectedIndex, results.length - 1);

  const choose = (index: number): void => {
    setSelectedIndex(index);
    list.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: "nearest" });
  };
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    remember(teamId, entry.id);
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing || results.length === 0) return;
    if (event.key === "ArrowDown") choose((at + 1) % results.length);
    else if (event.key === "ArrowUp") choose((at - 1 + results.length) % results.length);
    else if (event.key === "Enter") open(results[at]);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <div className="palette-search row gap-3 pad-3-4 line-below faint">
        <Icon name="search" />
        <input
          className="grow shrink large bare"
          // The dialog is opened in order to type.
          autoFocus
          type="text"
          role="combobox"
          aria-label={text("placeholder")}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={results.length === 0 ? undefined : `${id}-${at}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck="false"
          placeholder={text("placeholder")}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setSelectedIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="palette-list pad-2 grow scroll" role="listbox" id={`${id}-list`} aria-label={text("results")} ref={list}>
        {results.map((entry, index) => (
          // The focus and the keys stay in the field, which names the chosen entry (aria-activedescendant).
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className="palette-entry row gap-3 pad-1-3 rounded pointer"
            data-index={index}
            onPointerMove={() => (index === at ? undefined : setSelectedIndex(index))}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <bdi className="truncate grow shrink">{entry.title}</bdi>
            <span className="palette-kind rigid small faint">{entry.kind}</span>
            {entry.keys === undefined ? null : (
              <span className="palette-keys flex gap-hair" aria-hidden="true">
                {entry.keys.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </span>
            )}
          </div>
        ))}
      </div>
      {results.length > 0 || isLoading ? null : (
        <div className="palette-nothing break-words text-center">
          <p>{text("nothing", { query: search })}</p>
          <p className="faint">{text("nothingHint")}</p>
        </div>
      )}
      <footer className="wrap between gap-2 pad-2-4 line-above small faint">
        <span role="status">{isLoading ? text("loading") : text("count", { count: results.length })}</span>
        <span className="palette-help" aria-hidden="true">
          <kbd>↑</kbd>
          <kbd>↓</kbd> {text("toMove")} <kbd>↵</kbd> {text("toOpen")} <kbd>Esc</kbd> {text("toClose")}
        </span>
      </footer>
    </>
  );
}

/** The entries to show: those that fit best, or without a query the recent ones before the others. */
function find(entries: readonly Entry[], query: string, recent: readonly string[]): readonly Entry[] {
  const rankOf = (id: string): number => {
    const rank = recent.indexOf(id);
    return rank < 0 ? recent.length : rank;
  };
  if (query === "") {
    const byRecency = entries.toSorted((a, b) => rankOf(a.id) - rankOf(b.id));
    return byRecency.slice(0, mostShown).map((entry) => (recent.includes(entry.id) ? { ...entry, kind: text("recent") } : entry));
  }
  return entries
    .flatMap((entry) => {
      const fit = fitOf(query, entry.title) ?? fitOfWords(query, `${entry.title} ${entry.words} ${entry.kind}`);
      // An entry that was used lately wins among equals.
      return fit === null ? [] : [{ entry, fit: fit + (recent.includes(entry.id) ? 1 : 0) }];
    })
    .toSorted((a, b) => b.fit - a.fit)
    .slice(0, mostShown)
    .map(({ entry }) => entry);
}
