// The preview of a screen, a layout or a playlist with its controls: play, stand still, go to a time.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { instantOf, localValueOf, ownTimeZone } from "../data/zones.ts";
import { preview as messages } from "../i18n/en/preview.ts";
import { formatDateTime, formatTime } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { newestPictureQuery, playerQuery } from "../pages/screen/data.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProblemMessage } from "../ui/problem-message.tsx";
import { Slider } from "../ui/slider.tsx";
import { TextField } from "../ui/text-field.tsx";
import type { Capture } from "./captures.ts";
import type { PreviewContent } from "./content.ts";
import { PreviewPlayback } from "./playback.ts";
import { Preview, type PreviewProblem } from "./preview.tsx";
import { usePreview, type ChangeShown, type PreviewSubject } from "./use-preview.ts";

const text = texts(messages);
const usualSize = { width: 1_920, height: 1_080 };
const hourMs = 3_600_000;

export interface PreviewOfProps {
  of: PreviewSubject;
  /** The name of what is shown. */
  name: string;
  /** The instant to begin at, UTC ms; default: now. */
  startAt?: number;
  /** The size of the screen; default: that of the screen or of the layout. */
  size?: { width: number; height: number };
  isMuted?: boolean;
  change?: ChangeShown;
}

export function PreviewOf({ of, name, startAt, size: given, isMuted = true, change }: PreviewOfProps) {
  const { ticket, content, feeds, error } = usePreview(of, change);
  const playerId = "playerId" in of ? of.playerId : null;
  const screenSize = useScreenSize(playerId);
  const capture = useCapture(playerId, ticket?.page_url ?? null, content);
  const size = given ?? screenSize ?? sizeOf(content);
  const [mountedAt] = useState(() => Date.now());
  const [showing, setShowing] = useState({ at: startAt ?? mountedAt, rate: 0 });
  const [time, setTime] = useState(showing.at);
  const [windowFrom, setWindowFrom] = useState(showing.at);
  const [problem, setProblem] = useState<{ content: PreviewContent | null; problem: PreviewProblem } | null>(null);
  const span = useMemo(() => spanOf(content, playerId === null, windowFrom), [content, playerId, windowFrom]);
  const timeZone = timeZoneOf(content, playerId);
  const goTo = (at: number): void => {
    setShowing({ at, rate: 0 });
    setTime(at);
    setWindowFrom(at);
  };
  const isRunning = showing.rate > 0;
  return (
    <section className="preview-player" aria-label={text("of", { name })}>
      <ProblemMessage error={error} />
      {ticket === undefined || content === null ? (
        <div className="preview" style={{ aspectRatio: `${size.width} / ${size.height}` }} />
      ) : (
        <Preview
          ticket={ticket}
          content={content}
          feeds={feeds}
          {...showing}
          {...size}
          label={text("of", { name })}
          isMuted={isMuted}
          capture={capture}
          onTime={setTime}
          onProblem={(each) => setProblem({ content, problem: each })}
        />
      )}
      <div className="preview-controls">
        <Button
          aria-label={text(isRunning ? "pause" : "play")}
          isDisabled={content === null}
          onPress={() => setShowing({ at: time, rate: isRunning ? 0 : 1 })}
        >
          <Icon name={isRunning ? "pause" : "play"} />
        </Button>
        <Slider
          label={text("position")}
          output={formatTime(new Date(time), timeZone)}
          minValue={0}
          maxValue={span.lengthMs / 1_000}
          step={0.1}
          formatOptions={{ style: "unit", unit: "second", unitDisplay: "long" }}
          value={Math.min(span.lengthMs, Math.max(0, time - span.from)) / 1_000}
          onChange={(seconds) => {
            const at = Math.round(span.from + seconds * 1_000);
            setTime(at);
            setShowing({ at, rate: showing.rate });
          }}
        />
        <TextField
          label={text("at", { zone: timeZone })}
          type="datetime-local"
          value={localValueOf(new Date(time).toISOString(), timeZone)}
          onChange={(local) => {
            const instant = instantOf(local, timeZone);
            if (instant !== null) goTo(Date.parse(instant));
          }}
        />
        <Button onPress={() => goTo(Date.now())}>{text("now")}</Button>
      </div>
      <p className="faint preview-time" aria-live={isRunning ? "off" : "polite"}>
        {text("shows", { time: formatDateTime(new Date(time), timeZone) })}
      </p>
      {problem === null || problem.content !== content ? null : (
        <p className="field-error" role="status">
          {text("problem", { detail: problem.problem.detail })}
        </p>
      )}
    </section>
  );
}

/** The part of time in which the slider moves: the loop of a layout or a playlist, if it is not too long, else an hour. */
function spanOf(content: PreviewContent | null, isLoop: boolean, from: number): { from: number; lengthMs: number } {
  const anHour = { from, lengthMs: hourMs };
  if (content === null || !isLoop) return anHour;
  const loop = playbackOf(content).loopAt(from);
  return loop === null || loop.lengthMs > hourMs ? anHour : loop;
}

function playbackOf(content: PreviewContent): PreviewPlayback {
  return new PreviewPlayback(content, () => ({ title: "", entries: [], trouble: null }));
}

function timeZoneOf(content: PreviewContent | null, playerId: string | null): string {
  if (content === null || playerId === null) return ownTimeZone;
  return content.content.desired.player.timezone ?? content.context.deviceTimeZone;
}

function sizeOf(content: PreviewContent | null): { width: number; height: number } {
  const layout = content?.content.desired.layout;
  return layout == null ? usualSize : { width: layout.width, height: layout.height };
}

/** The size of a screen as people see it, upright. Null: it is not known. */
function useScreenSize(playerId: string | null): { width: number; height: number } | null {
  const { data } = useQuery({ ...playerQuery(playerId ?? ""), enabled: playerId !== null });
  if (data?.player.resolution == null) return null;
  const { width, height } = data.player.resolution;
  return data.player.orientation.startsWith("portrait") ? { width: height, height: width } : { width, height };
}

/** The newest picture of a screen, with what was on it by the content as it is now. Only of a screen that is not turned. */
function useCapture(playerId: string | null, pageUrl: string | null, content: PreviewContent | null): Capture | null {
  const { data } = useQuery({ ...newestPictureQuery(playerId ?? ""), enabled: playerId !== null });
  return useMemo(() => {
    if (data == null || pageUrl === null || content === null) return null;
    if ((content.content.desired.player.orientation ?? "landscape") !== "landscape") return null;
    const takenAt = Date.parse(data.captured_at);
    const { screen } = playbackOf(content).sceneAt(takenAt).scene;
    const zones = screen.is === "stage" ? screen.stage.zones : [];
    const itemIds = new Set(zones.flatMap(({ slots: [slot] }) => slot?.item.item_id ?? []));
    return { src: new URL(`captures/${data.id}`, pageUrl).pathname, takenAt, itemIds };
  }, [data, pageUrl, content]);
}
