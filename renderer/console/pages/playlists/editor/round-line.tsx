// How long one round of the playlist is, now or at a chosen time on a chosen clock.
import { useState } from "react";
import { Button as AriaButton, Dialog as AriaDialog, DialogTrigger, Popover } from "react-aria-components";
import { instantOf, localValueOf, ownTimeZone } from "../../../data/zones.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Button } from "../../../ui/button.tsx";
import { ComboBox } from "../../../ui/combo-box.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { TextField } from "../../../ui/text-field.tsx";
import { durationText } from "../../library/asset-facts.tsx";
import type { Loop } from "../model/loop.ts";

const text = texts("playlistEditor");
const zones = ["UTC", ...Intl.supportedValuesOf("timeZone")].map((id) => ({ id, name: id.replaceAll("_", " ") }));

/** The time and the clock that a person asks about. */
export interface LocalTime {
  instant: string;
  zone: string;
}

interface RoundLineProps {
  loop: Loop;
  count: number;
  /** Null: now. */
  previewTime: LocalTime | null;
  onAsk: (asked: LocalTime | null) => void;
}

export function RoundLine({ loop, count, previewTime, onAsk }: RoundLineProps) {
  const time = previewTime === null ? text("roundNow") : formatDateTime(new Date(previewTime.instant), previewTime.zone);
  return (
    <div className="round-line cluster gap-2 digits">
      <Icon name="clock" />
      <p role="status">
        {lengthText(loop)}
        {loop.itemCount === count ? null : <span className="faint"> · {text("roundOf", { shown: loop.itemCount, count })}</span>}
      </p>
      <DialogTrigger>
        <AriaButton className="button" data-size="small" aria-label={`${text("roundAt")}: ${time}`}>
          {time}
          <Icon name="chevronDown" />
        </AriaButton>
        <Popover className="popover">
          <AriaDialog className="round-dialog" aria-label={text("roundAt")}>
            <TimeForm previewTime={previewTime} onAsk={onAsk} />
          </AriaDialog>
        </Popover>
      </DialogTrigger>
      {previewTime === null ? null : (
        <Button size="small" kind="quiet" onPress={() => onAsk(null)}>
          {text("roundNow")}
        </Button>
      )}
    </div>
  );
}

function TimeForm({ previewTime, onAsk }: Pick<RoundLineProps, "previewTime" | "onAsk">) {
  const [zone, setZone] = useState(previewTime?.zone ?? ownTimeZone);
  const [local, setLocal] = useState(() => localValueOf(previewTime?.instant ?? new Date().toISOString(), zone));
  const ask = (nextLocal: string, nextZone: string): void => {
    const instant = instantOf(nextLocal, nextZone);
    if (instant !== null) onAsk({ instant, zone: nextZone });
  };
  return (
    <div className="form">
      <p className="faint">{text("roundHint")}</p>
      <TextField
        label={text("roundTime")}
        type="datetime-local"
        value={local}
        onChange={(input) => {
          setLocal(input);
          ask(input, zone);
        }}
        autoFocus
      />
      <ComboBox
        label={text("roundZone")}
        choices={zones}
        value={zone}
        onChange={(id) => {
          if (id === null) return;
          setZone(id);
          ask(local, id);
        }}
      />
    </div>
  );
}

function lengthText({ totalMs, unlimitedMs, itemCount, isUncertain }: Loop): string {
  if (itemCount === 0) return text("roundNothing");
  const full = durationText(totalMs);
  if (isUncertain) return text("roundUnknown", { time: full });
  return unlimitedMs === null ? text("roundFull", { time: full }) : text("roundLimited", { full, least: durationText(unlimitedMs) });
}
