// The preview of the edited layout: the picture of a screen if it were saved now.
import { useCallback, useMemo, useRef, useState } from "react";
import { playbackOf, usePreviewTime, type PreviewTime } from "../../../preview/use-preview-time.ts";
import { usePreview, type PreviewTicket } from "../../../preview/use-preview.ts";
import type { PreviewContent } from "../../../preview/content.ts";
import type { PreviewFeed, ShownContent } from "../../../../../src/protocol/operator/previews.ts";
import { useMay } from "../../../data/session.ts";
import type { EditedLayout } from "../model/edited-layout.ts";
import { referencesOf, withEditedLayout } from "../model/preview-content.ts";

export interface LayoutPreview {
  ticket: PreviewTicket;
  content: PreviewContent;
  feeds: readonly PreviewFeed[];
  time: PreviewTime;
  /** The layout of the picture that is to be seen; null: none is yet. */
  drawnLayout: EditedLayout | null;
  onDrawn: () => void;
}

/** Null: there is nothing to show, or it is not known yet. */
export function useLayoutPreview(id: string, layout: EditedLayout): LayoutPreview | null {
  const isAllowed = useMay("assets:read");
  const references = referencesOf(layout);
  const change = useCallback((state: ShownContent) => withEditedLayout(state, layout), [layout]);
  const { ticket, content, feeds } = usePreview({ layoutId: id, ...references }, { change, isEnabled: isAllowed });
  const time = usePreviewTime(content, true);
  const [drawnLayout, setDrawnLayout] = useState<EditedLayout | null>(null);
  const latest = useRef(layout);
  latest.current = layout;
  const onDrawn = useCallback(() => setDrawnLayout(latest.current), []);
  const { at } = time.showing;
  const isAnything = useMemo(() => content !== null && playbackOf(content).sceneAt(at).scene.screen.is === "stage", [content, at]);
  return ticket === undefined || content === null || !isAnything ? null : { ticket, content, feeds, time, drawnLayout, onDrawn };
}
