// A screen's picture when a change that is not saved yet begins to differ: without it, and with it.
import { useState } from "react";
import { texts } from "../../i18n/texts.ts";
import { PreviewOf } from "../../preview/preview-of.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Segments } from "../../ui/segments.tsx";
import type { Effect, TriedChange } from "./data.ts";

const text = texts("schedules");
// When the longest transition is over.
const seenAfterMs = 10_000;

interface EffectPreviewProps {
  screen: Effect["screens"][number];
  changes: readonly TriedChange[];
  onClose: () => void;
}

export function EffectPreview({ screen, changes, onClose }: EffectPreviewProps) {
  const [isAfter, setIsAfter] = useState(true);
  const of = { playerId: screen.player_id, ...(isAfter ? { scheduleChanges: [...changes] } : {}) };
  return (
    <Dialog title={text("effectPreviewOf", { name: screen.name })} isOpen onClose={onClose} size="large">
      <Segments
        isLabelHidden
        label={text("effectCompare")}
        value={isAfter ? "after" : "before"}
        onChange={(next) => setIsAfter(next === "after")}
        options={[
          { id: "before", name: text("effectBefore") },
          { id: "after", name: text("effectAfter") },
        ]}
      />
      <PreviewOf of={of} name={screen.name} startAt={Date.parse(screen.first_at) + seenAfterMs} />
    </Dialog>
  );
}
