// The tray of uploads: at the corner of every page, on a phone a bar above the navigation. It is there while there are uploads.
import { useState } from "react";
import { useSession } from "../../data/session.ts";
import { interruptedUploads } from "../../data/upload-memory.ts";
import { isActive, removeUploads, useUploads, type UploadEntry } from "../../data/uploads.ts";
import { formatBytes } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { InterruptedRow, Progress, UploadRow } from "./upload-row.tsx";

const text = texts("uploads");

// Longer lists show uploads that are running or need a person first, then the newest.
const mostShown = 100;

export function UploadTray() {
  const session = useSession();
  const entries = useUploads();
  const [isOpen, setIsOpen] = useState(true);
  const [, setForgotten] = useState(0);
  const resumableUploads = interruptedUploads(session.team.id, new Set(entries.map(({ fingerprint }) => fingerprint)));
  if (entries.length === 0 && resumableUploads.length === 0) return null;
  const active = entries.filter(isActive);
  const totals = { sent: sum(entries, ({ sentBytes }) => sentBytes), total: sum(entries, ({ file }) => file.size) };
  const visibleEntries = entries.toSorted((a, b) => rankOf(a) - rankOf(b) || b.id - a.id).slice(0, mostShown);
  return (
    <section className="upload-tray" aria-label={text("tray")}>
      <header className="upload-header row gap-1">
        <div className="upload-facts stack gap-hair grow shrink">
          <div role="status">
            <h2>{titleOf(entries, resumableUploads.length)}</h2>
          </div>
          {active.length > 0 ? (
            <>
              <p className="upload-state small faint break-words">
                {text("total", { sent: formatBytes(totals.sent), total: formatBytes(totals.total) })}
              </p>
              <Progress label={text("progressTotal")} value={totals.sent} most={totals.total} />
            </>
          ) : null}
        </div>
        <Button
          kind="quiet"
          size="small"
          aria-expanded={isOpen}
          aria-label={text(isOpen ? "collapse" : "expand")}
          onPress={() => setIsOpen(!isOpen)}
        >
          <Icon name={isOpen ? "chevronDown" : "chevronUp"} />
        </Button>
        {active.length === 0 && entries.length > 0 ? (
          <Button kind="quiet" size="small" aria-label={text("clear")} onPress={() => removeUploads()}>
            <Icon name="close" />
          </Button>
        ) : null}
      </header>
      {isOpen ? (
        <ul className="line-above scroll">
          {resumableUploads.map((upload) => (
            <InterruptedRow key={upload.key} upload={upload} onForgotten={() => setForgotten((count) => count + 1)} />
          ))}
          {visibleEntries.map((entry) => (
            <UploadRow key={entry.id} entry={entry} />
          ))}
        </ul>
      ) : null}
      {isOpen && active.length > 1 ? (
        <footer className="flex end pad-2-3 line-above">
          <Button kind="quiet" size="small" onPress={() => removeUploads(isActive)}>
            {text("cancelAll")}
          </Button>
        </footer>
      ) : null}
    </section>
  );
}

function titleOf(entries: readonly UploadEntry[], interruptedCount: number): string {
  const active = entries.filter(isActive).length;
  if (active > 0) return text("active", { count: active });
  if (entries.length === 0) return text("interrupted", { count: interruptedCount });
  const refusalCount = entries.filter(isBad).length;
  const doneCount = entries.length - refusalCount;
  return refusalCount === 0
    ? text("finished", { count: doneCount })
    : text("finishedWithRefused", { done: doneCount, refused: refusalCount });
}

function isBad({ state }: UploadEntry): boolean {
  return state === "refused" || state === "failed";
}

function rankOf(entry: UploadEntry): number {
  if (isBad(entry)) return 0;
  return isActive(entry) && entry.state !== "waiting" ? 1 : entry.state === "waiting" ? 2 : 3;
}

function sum(entries: readonly UploadEntry[], of: (entry: UploadEntry) => number): number {
  return entries.reduce((total, entry) => total + of(entry), 0);
}
