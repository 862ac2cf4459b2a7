// The filters of the wall: states with their numbers, search, tag, grouping, order and density.
import "./toolbar.css";
import { ToggleButton, SearchField, Input, Button as AriaButton } from "react-aria-components";
import { rosterStates } from "../../../../src/protocol/operator/roster-states.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { Select } from "../../ui/select.tsx";
import { ViewChoice } from "../../ui/view-choice.tsx";
import type { Arrangement } from "./arrange.ts";
import { densities, groupings, sortings, type ScreensSearch } from "./search.ts";
import { kinds } from "./words.tsx";

const text = texts("screens");
/** The key of "all tags". No tag is an empty text. */
const anyTag = "";

export interface ToolbarProps {
  search: ScreensSearch;
  onChange: (change: ScreensSearch) => void;
  counts: Arrangement["counts"];
  tags: readonly { tag: string; count: number }[];
}

export function Toolbar({ search, onChange, counts, tags }: ToolbarProps) {
  const { q = "", tag = anyTag, group = "state", sort = "problems", view = "grid" } = search;
  const tagOptions = [
    { id: anyTag, name: text("anyTag") },
    ...tags.map((each) => ({ id: each.tag, name: text("tagOption", { tag: each.tag, count: each.count }) })),
    // A tag from the address that no screen has any more.
    ...(tag === anyTag || tags.some((each) => each.tag === tag) ? [] : [{ id: tag, name: tag }]),
  ];
  return (
    <div className="stack gap-3">
      <States search={search} onChange={onChange} counts={counts} />
      <div className="wall-filters cluster gap-2">
        <SearchField
          className="wall-search"
          aria-label={text("searchLabel")}
          value={q}
          onChange={(value) => onChange({ q: value === "" ? undefined : value })}
        >
          <Icon name="search" />
          <Input className="input" placeholder={text("searchHint")} />
          <AriaButton className="wall-search-clear center faint pointer bare" aria-label={text("clearSearch")}>
            <Icon name="close" />
          </AriaButton>
        </SearchField>
        <Select
          isLabelHidden
          label={text("tag")}
          options={tagOptions}
          selectedKey={tag}
          onSelectionChange={(key) => onChange({ tag: key === anyTag ? undefined : key })}
        />
        <Select
          isLabelHidden
          label={text("group")}
          options={groupings.map((id) => ({ id, name: text(`group${id}`) }))}
          selectedKey={group}
          onSelectionChange={(key) => onChange({ group: key === "state" ? undefined : key })}
        />
        <Select
          isLabelHidden
          label={text("sort")}
          options={sortings.map((id) => ({ id, name: text(`sort${id}`) }))}
          selectedKey={sort}
          onSelectionChange={(key) => onChange({ sort: key === "problems" ? undefined : key })}
        />
        <ViewChoice
          label={text("view")}
          views={densities.map((id) => ({ id, name: text(id), icon: id }))}
          value={view}
          onChange={(id) => onChange({ view: id === "list" ? id : undefined })}
        />
      </div>
    </div>
  );
}

/** Each state that screens are in, with their number. Choosing several shows all of them; choosing none shows all. */
function States({ search: { state: selection = [] }, onChange, counts }: Omit<ToolbarProps, "tags">) {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const visibleStates = rosterStates.filter((state) => counts[state] > 0 || selection.includes(state));
  return (
    <div className="wall-states wrap gap-2" role="group" aria-label={text("states")}>
      <ToggleButton
        className="wall-state inline-row gap-2 outlined surface soft nowrap pointer"
        isSelected={selection.length === 0}
        onChange={() => onChange({ state: undefined })}
      >
        {text("all")} <span className="wall-state-count faint digits">{text("number", { count: total })}</span>
      </ToggleButton>
      {visibleStates.map((state) => (
        <ToggleButton
          key={state}
          className="wall-state inline-row gap-2 outlined surface soft nowrap pointer"
          data-kind={kinds[state]}
          isSelected={selection.includes(state)}
          onChange={(isSelected) => {
            const next = isSelected ? [...selection, state] : selection.filter((each) => each !== state);
            onChange({ state: next.length === 0 ? undefined : next });
          }}
        >
          <span className="state-dot" data-kind={kinds[state]} aria-hidden="true" />
          {text(state)} <span className="wall-state-count faint digits">{text("number", { count: counts[state] })}</span>
        </ToggleButton>
      ))}
    </div>
  );
}
