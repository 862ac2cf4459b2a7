// The shows that are on now for a time, or planned: where, until when, by whom; to stop one or to let it stay longer.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button as AriaButton, Disclosure, DisclosurePanel, Heading, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
import { hourMs } from "../../../../src/base/time.ts";
import { formatDateTime, formatTime } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { useMay } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon-paths.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { showToast } from "../../ui/toasts.tsx";
import { Arrival } from "./arrival.tsx";
import { stopWithUndo } from "./show-dialog.tsx";
import { endShowAt, isTakeover, liveShowsQuery, type ShowEntry } from "./shows.ts";
import { isInstant, later } from "./until.ts";

const text = texts("show");

/** @param only those that are listed; default: all */
export function RunningShows({ filter = () => true, empty }: { filter?: (show: ShowEntry) => boolean; empty: string }) {
  const { data, error } = useQuery(liveShowsQuery);
  const shows = data?.filter(filter);
  return (
    <>
      <ProblemMessage error={error} />
      {shows?.length === 0 ? <p className="faint">{empty}</p> : null}
      <ul className="running stack gap-3">
        {shows?.map((show) => (
          <li key={show.id} className="box pad-4" data-emergency={show.is_emergency}>
            <RunningShow show={show} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A moment of the API for people: an instant in the reader's time, or a time on each screen's clock. */
export function momentText(moment: string): string {
  if (isInstant(moment)) {
    const at = new Date(moment);
    return at.toDateString() === new Date().toDateString() ? formatTime(at) : formatDateTime(at);
  }
  return text("screenTime", { time: formatDateTime(new Date(`${moment}Z`), "UTC") });
}

function iconOf({ asset_id, text: message, url, is_emergency }: ShowEntry): IconName {
  if (is_emergency) return "siren";
  if (asset_id !== null) return "image";
  if (message !== null) return "text";
  return url === null ? "screens" : "globe";
}

function RunningShow({ show }: { show: ShowEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  const { name, status, starts_at, ends_at, player_count: count, created_by } = show;
  const facts = [
    text("onScreens", { count }),
    ends_at === null ? text("untilStopped") : text("untilTime", { time: momentText(ends_at) }),
    ...(created_by === null ? [] : [text("by", { name: created_by.name })]),
  ];
  return (
    <Disclosure className="stack gap-2" isExpanded={isOpen} onExpandedChange={setIsOpen}>
      <div className="wrap gap-3">
        <span className="center rigid tint rounded accent square">
          <Icon name={iconOf(show)} />
        </span>
        <div className="running-facts">
          <Heading className="running-name crop break-words" level={3}>
            {name}
          </Heading>
          <p className="faint">{facts.join(" · ")}</p>
          {status === "planned" ? <span className="badge">{text("planned", { time: momentText(starts_at) })}</span> : null}
          {isTakeover(show) ? (
            <span className="badge" data-kind={show.is_emergency ? "bad" : "accent"}>
              {text(show.is_emergency ? "emergency" : "takeover")}
            </span>
          ) : null}
        </div>
        <ShowActions show={show} />
      </div>
      <AriaButton slot="trigger" className="running-more inline-row gap-1 small soft pointer bare no-padding self-start">
        <Icon name={isOpen ? "chevronDown" : "chevronEnd"} />
        {text("details")}
      </AriaButton>
      <DisclosurePanel>{isOpen ? <Arrival showId={show.id} /> : null}</DisclosurePanel>
    </Disclosure>
  );
}

function ShowActions({ show }: { show: ShowEntry }) {
  const may = useMay("schedules:write");
  const stopping = useMutation({ mutationFn: () => stopWithUndo(show) });
  const prolonging = useMutation({
    mutationFn: (ends: string | null) => endShowAt(show, ends),
    onSuccess: () => showToast({ message: text("prolonged", { name: show.name }), undo: () => endShowAt(show, show.ends_at) }),
  });
  if (!may) return null;
  const { name, ends_at } = show;
  return (
    <div className="wrap top gap-2">
      {show.is_emergency || ends_at === null ? null : (
        <MenuTrigger>
          <Button size="small" aria-label={text("longerName", { name })} isPending={prolonging.isPending}>
            {text("longer")}
          </Button>
          <Popover className="popover" placement="bottom end">
            <Menu className="menu" onAction={(key) => prolonging.mutate(key === "open" ? null : later(ends_at, hourMs, new Date()))}>
              <MenuItem id="hour" className="menu-item">
                {text("longerHour")}
              </MenuItem>
              <MenuItem id="open" className="menu-item">
                {text("longerOpen")}
              </MenuItem>
            </Menu>
          </Popover>
        </MenuTrigger>
      )}
      <Button size="small" aria-label={text("stopName", { name })} isPending={stopping.isPending} onPress={() => stopping.mutate()}>
        <Icon name="stop" />
        {text("stopShort")}
      </Button>
      <ProblemMessage error={stopping.error ?? prolonging.error} />
    </div>
  );
}
