// The uploads in the shell, on every page: the drop overlay, and the tray when there is something in it.
import { lazy, Suspense, useEffect } from "react";
import { useSession } from "../../data/session.ts";
import { interruptedUploads } from "../../data/upload-memory.ts";
import { suspendUploads, useUploads } from "../../data/uploads.ts";
import { DropOverlay } from "./drop-overlay.tsx";
import "./uploads.css";

const UploadTray = lazy(async () => ({ default: (await import("./upload-tray.tsx")).UploadTray }));
const nothing: ReadonlySet<string> = new Set();

export function UploadsCorner() {
  const { team } = useSession();
  // The files are for this team. The corner also leaves the page when the session ends.
  useEffect(() => suspendUploads, [team.id]);
  const entries = useUploads();
  const hasUploads = entries.length > 0 || interruptedUploads(team.id, nothing).length > 0;
  return (
    <>
      <DropOverlay />
      {hasUploads ? (
        <Suspense fallback={null}>
          <UploadTray />
        </Suspense>
      ) : null}
    </>
  );
}
