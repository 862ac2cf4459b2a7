// Search and filters of the library, and how its files are shown.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Input, SearchField } from "react-aria-components";
import { assetKinds, assetTagsQuery, type AssetFilter } from "../../data/assets.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/select.tsx";
import { ViewChoice } from "../../ui/view-choice.tsx";

const text = texts("library");
const views = ["grid", "list"] as const;
const storageKey = "library-view";
const searchDelayMs = 200;

export type LibraryView = (typeof views)[number];

/** How the person wants to see files on this device. */
export function useLibraryView(): [LibraryView, (view: LibraryView) => void] {
  const [view, setView] = useState<LibraryView>(() => views.find((each) => each === localStorage.getItem(storageKey)) ?? "grid");
  return [
    view,
    (next) => {
      localStorage.setItem(storageKey, next);
      setView(next);
    },
  ];
}

interface LibraryBarProps {
  filter: AssetFilter;
  onChange: (changes: Pick<AssetFilter, "q" | "tag" | "kind">) => void;
  view: LibraryView;
  onView: (view: LibraryView) => void;
}

export function LibraryBar({ filter: { q = "", tag, kind }, onChange, view, onView }: LibraryBarProps) {
  const [words, setWords] = useState(q);
  const { data: tagCounts = [] } = useQuery(assetTagsQuery);
  // A tag in an old link stays visible, and can be taken out, when no file has it any more.
  const tags = [...new Set([...tagCounts.map((each) => each.tag), ...(tag === undefined ? [] : [tag])])];
  // The address may change by the browser's back button.
  const [before, setBefore] = useState(q);
  if (before !== q) {
    setBefore(q);
    if (words.trim() !== q) setWords(q);
  }
  useEffect(() => {
    const query = words.trim();
    if (query === q) return undefined;
    const timer = setTimeout(() => onChange({ q: query === "" ? undefined : query }), searchDelayMs);
    return () => clearTimeout(timer);
  });
  return (
    <div className="cluster gap-2">
      <SearchField className="library-search relative" aria-label={text("search")} value={words} onChange={setWords}>
        <Icon name="search" />
        <Input className="input" placeholder={text("search")} />
      </SearchField>
      <Select
        label={text("kind")}
        isLabelHidden
        selectedKey={kind ?? "any"}
        onSelectionChange={(key) => onChange({ kind: key === "any" ? undefined : key })}
        options={[{ id: "any", name: text("kindAny") }, ...assetKinds.map((id) => ({ id, name: text(id) }))]}
      />
      {tags.length === 0 ? null : (
        <Select
          label={text("tags")}
          isLabelHidden
          selectedKey={tag === undefined ? "any" : `tag ${tag}`}
          onSelectionChange={(key) => onChange({ tag: key === "any" ? undefined : key.slice("tag ".length) })}
          options={[{ id: "any", name: text("tagAny") }, ...tags.map((each) => ({ id: `tag ${each}`, name: each }))]}
        />
      )}
      <ViewChoice
        label={text("view")}
        views={[
          { id: "grid", name: text("viewGrid"), icon: "grid" },
          { id: "list", name: text("viewList"), icon: "list" },
        ]}
        value={view}
        onChange={onView}
      />
    </div>
  );
}
