// Takes files that are dropped or pasted anywhere in the console, and says during a drag where they will go.
import { useEffect, useState } from "react";
import { countFiles, filesOf } from "../../data/dropped-files.ts";
import { dropMeaningAt } from "../../data/drops.ts";
import { useMay } from "../../data/session.ts";
import { uploadFiles } from "../../data/uploads.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import { showFailure } from "../../ui/toasts.tsx";

const text = texts("uploads");

/** A drag of files over the page. */
interface Drag {
  count: number;
  /** Where they would go; null: into the library. */
  meaning: string | null;
}

export function DropOverlay() {
  const mayUpload = useMay("assets:write");
  const [drag, setDrag] = useState<Drag | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    let dropTarget: Element | null = null;
    const mark = (part: Element | null): void => {
      if (part === dropTarget) return;
      dropTarget?.removeAttribute("data-drop-active");
      part?.setAttribute("data-drop-active", "");
      dropTarget = part;
    };
    const end = (): void => {
      mark(null);
      setDrag(null);
    };
    const over = (event: DragEvent): void => {
      const count = countFiles(event.dataTransfer);
      if (count === 0) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = mayUpload ? "copy" : "none";
      const target = dropMeaningAt(event.target);
      mark(target?.part ?? null);
      const meaning = target?.meaning.text ?? null;
      setDrag((before) => (before?.count === count && before.meaning === meaning ? before : { count, meaning }));
    };
    const leave = (event: DragEvent): void => {
      // Not to another element of the page, but out of the window.
      if (event.relatedTarget === null) end();
    };
    const drop = (event: DragEvent): void => {
      if (countFiles(event.dataTransfer) === 0) return;
      // Otherwise the browser would leave the console and open the file.
      event.preventDefault();
      end();
      if (mayUpload) void take(event.dataTransfer!, event.target);
    };
    const paste = (event: ClipboardEvent): void => {
      if (!mayUpload || countFiles(event.clipboardData) === 0) return;
      // Text with pictures, as from a word processor, is meant for the field.
      const isField = event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]") !== null;
      if (isField && event.clipboardData!.types.includes("text/plain")) return;
      event.preventDefault();
      void take(event.clipboardData!, event.target);
    };
    addEventListener("dragenter", over, { signal });
    addEventListener("dragover", over, { signal });
    addEventListener("dragleave", leave, { signal });
    addEventListener("drop", drop, { signal });
    addEventListener("paste", paste, { signal });
    return () => {
      stop.abort();
      mark(null);
    };
  }, [mayUpload]);
  if (drag === null) return null;
  return (
    <div className="drop-overlay grid bottom" data-refused={!mayUpload}>
      <p className="row gap-3 round large strong max-full shadow">
        <Icon name={mayUpload ? "upload" : "warning"} />
        {mayUpload ? (drag.meaning ?? text("dropHere", { count: drag.count })) : text("dropNotAllowed")}
      </p>
    </div>
  );
}

async function take(transfer: DataTransfer, target: EventTarget | null): Promise<void> {
  const meaning = dropMeaningAt(target)?.meaning;
  try {
    const files = await filesOf(transfer);
    if (meaning?.takeFiles !== undefined) {
      await meaning.takeFiles(files);
      return;
    }
    const assets = await uploadFiles(files);
    if (assets.length > 0) await meaning?.take(assets);
  } catch (error) {
    showFailure(error);
  }
}
