// The controls of a preview: play, stand still, move in time, go to a time.
import { instantOf, localValueOf } from "../data/zones.ts";
import { formatDateTime, formatTime } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Slider } from "../ui/slider.tsx";
import { TextField } from "../ui/text-field.tsx";
import type { PreviewTime } from "./use-preview-time.ts";

const text = texts("preview");

interface PreviewControlsProps {
  time: PreviewTime;
  timeZone: string;
  isDisabled: boolean;
  /** Leaves out the controls that only a screen needs, which shows other things at other times. */
  isShort?: boolean;
}

export function PreviewControls({ time, timeZone, isDisabled, isShort = false }: PreviewControlsProps) {
  const { span, isRunning, changes } = time;
  return (
    <div className="grid gap-2">
      <div className="preview-controls wrap bottom gap-2-3">
        <div className="flex gap-1">
          <Button
            kind="quiet"
            aria-label={text("previousItem")}
            isDisabled={isDisabled || changes.before === null}
            onPress={() => time.scrub(changes.before!)}
          >
            <Icon name="previous" />
          </Button>
          <Button aria-label={text(isRunning ? "pause" : "play")} isDisabled={isDisabled} onPress={time.toggle}>
            <Icon name={isRunning ? "pause" : "play"} />
          </Button>
          <Button
            kind="quiet"
            aria-label={text("nextItem")}
            isDisabled={isDisabled || changes.after === null}
            onPress={() => time.scrub(changes.after!)}
          >
            <Icon name="next" />
          </Button>
        </div>
        <Slider
          label={text("position")}
          output={isShort ? positionIn(time) : formatTime(new Date(time.time), timeZone)}
          minValue={0}
          maxValue={span.lengthMs / 1_000}
          step={0.1}
          formatOptions={{ style: "unit", unit: "second", unitDisplay: "long" }}
          value={offsetIn(time) / 1_000}
          onChange={(seconds) => time.scrub(Math.round(span.from + seconds * 1_000))}
        />
        {isShort ? null : (
          <>
            <TextField
              label={text("at", { zone: timeZone })}
              type="datetime-local"
              value={localValueOf(new Date(time.time).toISOString(), timeZone)}
              onChange={(local) => {
                const instant = instantOf(local, timeZone);
                if (instant !== null) time.goTo(Date.parse(instant));
              }}
            />
            <Button onPress={() => time.goTo(Date.now())}>{text("now")}</Button>
          </>
        )}
      </div>
      {isShort ? null : (
        <p className="faint digits" aria-live={isRunning ? "off" : "polite"}>
          {text("shows", { time: formatDateTime(new Date(time.time), timeZone) })}
        </p>
      )}
    </div>
  );
}

/** How far into the slider's span the time is, ms. */
function offsetIn({ time, span }: PreviewTime): number {
  return Math.min(span.lengthMs, Math.max(0, time - span.from));
}

/** Such as `0:12 of 1:30`. */
function positionIn(time: PreviewTime): string {
  return text("positionIn", { now: clockText(offsetIn(time)), whole: clockText(time.span.lengthMs) });
}

function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
