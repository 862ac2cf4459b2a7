// The choices of the timeline: its days, whose clock, which screens. On a phone all but the days is in a dialog.
import { useState, type ReactNode } from "react";
import { ownTimeZone } from "../../data/zones.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useIsPhone } from "../../ui/use-media.ts";
import type { TimelineSearch } from "./routes.ts";

const text = texts("timeline");
const allTags = "";

interface BarProps extends ChoiceProps {
  tags: readonly string[];
  onStep: (by: 1 | -1) => void;
  /** How many screens there are. */
  children: ReactNode;
}

interface ChoiceProps {
  search: TimelineSearch;
  onChange: (change: TimelineSearch) => void;
}

export function TimelineBar({ search, tags, onChange, onStep, children }: BarProps) {
  const isPhone = useIsPhone();
  const [isOpen, setIsOpen] = useState(false);
  const { zoom, zone, view, tag, q } = search;
  const days = (
    <>
      <div className="timeline-steps flex gap-2">
        <Button size="small" aria-label={text("earlier")} onPress={() => onStep(-1)}>
          <span className="flex icon-directed icon-back">
            <Icon name="chevronEnd" />
          </span>
        </Button>
        <Button size="small" onPress={() => onChange({ day: undefined })}>
          {text("now")}
        </Button>
        <Button size="small" aria-label={text("later")} onPress={() => onStep(1)}>
          <span className="flex icon-directed">
            <Icon name="chevronEnd" />
          </span>
        </Button>
      </div>
      <Segments
        isLabelHidden
        label={text("zoom")}
        value={zoom ?? "week"}
        onChange={(next) => onChange({ zoom: next === "day" ? "day" : undefined })}
        options={[
          { id: "day", name: text("day") },
          { id: "week", name: text("week") },
        ]}
      />
    </>
  );
  const looks = <Looks search={search} onChange={onChange} isLabelHidden={!isPhone} />;
  const screens = <ScreenFilters search={search} tags={tags} onChange={onChange} />;
  if (!isPhone) {
    return (
      <>
        <div className="timeline-bar wrap bottom gap-3">
          {days}
          {looks}
        </div>
        <div className="timeline-bar wrap bottom gap-3">
          {screens}
          {children}
        </div>
      </>
    );
  }
  const count = [zone, view, tag, q].filter((each) => each !== undefined).length;
  return (
    <>
      <div className="timeline-bar wrap bottom gap-3">
        {days}
        <Button size="small" onPress={() => setIsOpen(true)}>
          <Icon name="settings" />
          {text("filters", { count })}
        </Button>
      </div>
      {children}
      <Dialog
        title={text("filtersTitle")}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        actions={
          <Button kind="primary" onPress={() => setIsOpen(false)}>
            {text("filtersDone")}
          </Button>
        }
      >
        {screens}
        {looks}
      </Dialog>
    </>
  );
}

function Looks({ search: { zone, view }, onChange, isLabelHidden }: ChoiceProps & { isLabelHidden: boolean }) {
  return (
    <>
      <Segments
        isLabelHidden={isLabelHidden}
        label={text("zone")}
        value={zone ?? "screens"}
        onChange={(next) => onChange({ zone: next === "own" ? "own" : undefined })}
        options={[
          { id: "screens", name: text("screensZone") },
          { id: "own", name: text("ownZone", { zone: ownTimeZone }) },
        ]}
      />
      <Segments
        isLabelHidden={isLabelHidden}
        label={text("view")}
        value={view ?? "timeline"}
        onChange={(next) => onChange({ view: next === "table" ? "table" : undefined })}
        options={[
          { id: "timeline", name: text("asTimeline") },
          { id: "table", name: text("asTable") },
        ]}
      />
    </>
  );
}

function ScreenFilters({ search: { tag, q = "" }, tags, onChange }: ChoiceProps & { tags: readonly string[] }) {
  return (
    <>
      <TextField label={text("search")} type="search" value={q} onChange={(next) => onChange({ q: next === "" ? undefined : next })} />
      {tags.length === 0 ? null : (
        <Select
          label={text("tag")}
          selectedKey={tag ?? allTags}
          onSelectionChange={(next) => onChange({ tag: next === allTags ? undefined : next })}
          options={[{ id: allTags, name: text("allTags") }, ...tags.map((id) => ({ id, name: id }))]}
        />
      )}
    </>
  );
}
