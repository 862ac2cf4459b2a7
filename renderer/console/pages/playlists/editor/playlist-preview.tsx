// The preview of a playlist as it is edited: it follows every change, and goes to the item that is chosen.
import { useQuery } from "@tanstack/react-query";
import { memo, useCallback, useEffect, useMemo, useState } from "react";
import { calendarsQuery } from "../../../data/calendars.ts";
import { ownTimeZone } from "../../../data/zones.ts";
import { texts } from "../../../i18n/texts.ts";
import { boxStyle } from "../../../preview/box-style.ts";
import { PreviewControls } from "../../../preview/preview-controls.tsx";
import { Preview } from "../../../preview/preview.tsx";
import { playbackOf, usePreviewTime } from "../../../preview/use-preview-time.ts";
import { usePreview } from "../../../preview/use-preview.ts";
import { useDebounced } from "../../../ui/stable-values.ts";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import type { ShownContent } from "../../../../../src/protocol/operator/previews.ts";
import type { EditorView } from "../model/editor.ts";
import { missingAssets, previewedItemId, withEditedItems } from "../model/preview-content.ts";

const text = texts("preview");
const size = { width: 1_920, height: 1_080 };

/** It computes the whole playlist anew, which takes longer than a frame. */
const followsAfterMs = 250;

interface PlaylistPreviewProps {
  id: string;
  name: string;
  view: EditorView;
  /** The id of the item to show in the preview, if one is chosen. */
  chosenId: string | null;
}

/** Follows the edited playlist as soon as it stays the same for a moment. */
export function PlaylistPreview({ view, ...props }: PlaylistPreviewProps) {
  const { rows, faults } = view;
  const stableView = useDebounced(
    useMemo(() => ({ rows, faults }), [rows, faults]),
    followsAfterMs,
  );
  return <SettledPreview {...props} {...stableView} />;
}

type SettledPreviewProps = Omit<PlaylistPreviewProps, "view"> & Pick<EditorView, "rows" | "faults">;

const SettledPreview = memo(function SettledPreview({ id, name, rows, faults, chosenId }: SettledPreviewProps) {
  const [assetIds, setAssetIds] = useState<readonly string[]>([]);
  const { data: calendars } = useQuery(calendarsQuery);
  const change = useCallback(
    (state: ShownContent) => withEditedItems(state, id, { rows, faults }, calendars ?? []),
    [id, rows, faults, calendars],
  );
  const { ticket, content, feeds, error } = usePreview({ playlistId: id, assetIds }, { change });
  const time = usePreviewTime(content, true);
  const missing = content === null ? "" : missingAssets({ rows }, content.content.desired).join();
  useEffect(() => {
    if (missing !== "") setAssetIds((before) => [...new Set([...before, ...missing.split(",")])].slice(-1_000));
  }, [missing]);
  const playback = useMemo(() => (content === null ? null : playbackOf(content)), [content]);
  const [wentTo, setWentTo] = useState<string | null>(null);
  const isThere = chosenId === null || rows.some((row) => previewedItemId(row) === chosenId);
  if (chosenId !== wentTo && playback !== null && isThere) {
    setWentTo(chosenId);
    const at = chosenId === null ? null : playback.playOf(chosenId, time.time);
    if (at !== null) time.scrub(at);
  }
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
          onTime={time.setTime}
        />
      )}
      <PreviewControls time={time} timeZone={ownTimeZone} isDisabled={content === null} isShort />
    </section>
  );
});
