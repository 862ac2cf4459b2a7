// The preview of a playlist as it is edited: it follows every change, and goes to the item that is chosen.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { calendarsQuery } from "../../../data/calendars.ts";
import { ownTimeZone } from "../../../data/zones.ts";
import { preview } from "../../../i18n/en/preview.ts";
import { texts } from "../../../i18n/texts.ts";
import { boxStyle } from "../../../preview/box-style.ts";
import { PreviewControls } from "../../../preview/preview-controls.tsx";
import { Preview } from "../../../preview/preview.tsx";
import { playbackOf, usePreviewTime } from "../../../preview/use-preview-time.ts";
import { usePreview } from "../../../preview/use-preview.ts";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import type { ShownContent } from "../../../../../src/protocol/operator/previews.ts";
import type { EditorView } from "../model/editor.ts";
import { missingAssets, previewedItemId, withEditedItems } from "../model/previewed.ts";
import type { Row } from "../model/rows.ts";

const text = texts(preview);
const size = { width: 1_920, height: 1_080 };

interface PlaylistPreviewProps {
  id: string;
  name: string;
  view: EditorView;
  /** The item to show, if one is chosen. */
  chosen: Row | null;
}

export function PlaylistPreview({ id, name, view, chosen }: PlaylistPreviewProps) {
  const { rows, faults } = view;
  const [assetIds, setAssetIds] = useState<readonly string[]>([]);
  const { data: calendars } = useQuery(calendarsQuery);
  const change = useCallback(
    (shown: ShownContent) => withEditedItems(shown, id, { rows, faults }, calendars ?? []),
    [id, rows, faults, calendars],
  );
  const { ticket, content, feeds, error } = usePreview({ playlistId: id, assetIds }, { change });
  const time = usePreviewTime(content, true);
  const missing = content === null ? "" : missingAssets(view, content.content.desired).join();
  useEffect(() => {
    if (missing !== "") setAssetIds((before) => [...new Set([...before, ...missing.split(",")])].slice(-1_000));
  }, [missing]);
  const playback = useMemo(() => (content === null ? null : playbackOf(content)), [content]);
  const chosenId = chosen === null ? null : previewedItemId(chosen);
  const [wentTo, setWentTo] = useState<string | null>(null);
  if (chosenId !== wentTo && playback !== null) {
    setWentTo(chosenId);
    const at = chosenId === null ? null : playback.playOf(chosenId, time.time);
    if (at !== null) time.scrub(at);
  }
  return (
    <section className="preview-player" aria-label={text("of", { name })}>
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
}
