// The preview of a screen, a layout or a playlist with its controls: play, stand still, go to a time.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ownTimeZone } from "../data/zones.ts";
import { texts } from "../i18n/texts.ts";
import { newestPictureQuery, playerQuery } from "../pages/screen/data.ts";
import { ProblemMessage } from "../ui/problem-message.tsx";
import { boxStyle } from "./box-style.ts";
import type { Capture } from "./captures.ts";
import type { PreviewContent } from "./content.ts";
import { PreviewControls } from "./preview-controls.tsx";
import { Preview, type PreviewProblem } from "./preview.tsx";
import { playbackOf, usePreviewTime } from "./use-preview-time.ts";
import { usePreview, type ContentChange, type PreviewSubject } from "./use-preview.ts";

const text = texts("preview");
const usualSize = { width: 1_920, height: 1_080 };

export interface PreviewOfProps {
  of: PreviewSubject;
  /** The name of the screen, layout or playlist. */
  name: string;
  /** The instant to begin at, UTC ms; default: now. */
  startAt?: number;
  /** The size of the screen; default: that of the screen or of the layout. */
  size?: { width: number; height: number };
  isMuted?: boolean;
  change?: ContentChange;
  /** Leaves out the time of day. */
  isShort?: boolean;
}

export function PreviewOf({ of, name, startAt, size: givenSize, isMuted = true, change, isShort = false }: PreviewOfProps) {
  const { ticket, content, feeds, error } = usePreview(of, { change });
  const playerId = "playerId" in of ? of.playerId : null;
  const screenSize = useScreenSize(playerId);
  const capture = useCapture(playerId, ticket?.page_url ?? null, content);
  const size = givenSize ?? screenSize ?? sizeOf(content);
  const time = usePreviewTime(content, playerId === null, startAt);
  const [problem, setProblem] = useState<{ content: PreviewContent | null; problem: PreviewProblem } | null>(null);
  return (
    <section className="grid gap-3" aria-label={text("of", { name })}>
      <ProblemMessage error={error} />
      {ticket === undefined || content === null ? (
        <div className="preview" style={boxStyle(size)} />
      ) : (
        <Preview
          ticket={ticket}
          content={content}
          feeds={feeds}
          {...time.showing}
          {...size}
          label={text("of", { name })}
          isMuted={isMuted}
          capture={capture}
          onTime={time.setTime}
          onProblem={(each) => setProblem({ content, problem: each })}
        />
      )}
      <PreviewControls time={time} timeZone={timeZoneOf(content, playerId)} isDisabled={content === null} isShort={isShort} />
      {problem === null || problem.content !== content ? null : (
        <p className="field-error" role="status">
          {text("problem", { detail: problem.problem.detail })}
        </p>
      )}
    </section>
  );
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

/** The newest picture of a screen, upright as people see it, with the items that were on it by the content as it is now. */
function useCapture(playerId: string | null, pageUrl: string | null, content: PreviewContent | null): Capture | null {
  const { data } = useQuery({ ...newestPictureQuery(playerId ?? ""), enabled: playerId !== null });
  return useMemo(() => {
    if (data == null || pageUrl === null || content === null) return null;
    const takenAt = Date.parse(data.captured_at);
    const { screen } = playbackOf(content).sceneAt(takenAt).scene;
    const zones = screen.is === "stage" ? screen.stage.zones : [];
    const itemIds = new Set(zones.flatMap(({ slots: [slot] }) => slot?.item.item_id ?? []));
    const { id, width, height } = data;
    return { src: new URL(`captures/${id}`, pageUrl).pathname, width, height, takenAt, itemIds };
  }, [data, pageUrl, content]);
}
