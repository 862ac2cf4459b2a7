// The heartbeat's share of the content: how far the newest state is, and which one plays.
import type { FileState, Heartbeat } from "../../protocol/device/heartbeat.ts";
import type { DesiredState } from "../../protocol/device/desired-state.ts";
import type { DownloadProgress, FileProgress } from "./download-progress.ts";
import { describeFailure, type Generations, isEmpty } from "./generations.ts";
import { lostAssets, type ReadyState } from "./ready-content.ts";

export interface ContentFacts {
  /** The newest state that the service published; null before the first. */
  desired: DesiredState | null;
  /** The state that plays. */
  applied: ReadyState | null;
  progress: DownloadProgress;
  generations: Generations;
}

export function reportContent({ desired, applied, progress, generations }: ContentFacts): Pick<Heartbeat, "content"> {
  const applied_revision = applied?.desired.revision ?? null;
  const content = {
    revision: desired?.revision ?? null,
    applied_revision,
    ready_bytes: progress.readyBytes,
    total_bytes: progress.totalBytes,
    ready_files: progress.readyFiles,
    total_files: progress.totalFiles,
    files: progress.files.map(fileState),
  };
  if (desired === null) return { content: { is: "empty", ...content, detail: "the screen has not received a state yet" } };
  if (generations.plays === "previous" && desired.revision === generations.newest?.revision) {
    const detail = `The content before plays: ${describeFailure(generations)}`.slice(0, 2_000);
    return { content: { is: "failed", ...content, detail } };
  }
  if (desired.revision !== applied_revision || lostAssets(applied).length > 0) {
    const is = progress.is === "failed" ? "failed" : "downloading";
    return { content: { is, ...content, detail: progress.detail?.slice(0, 2_000) ?? null } };
  }
  return { content: { is: isEmpty(desired) ? "empty" : "applied", ...content, detail: null } };
}

function fileState({ assetId, readyBytes, totalBytes, failure }: FileProgress): FileState {
  const is = failure === null ? "downloading" : "failed";
  return { asset_id: assetId, is, ready_bytes: readyBytes, total_bytes: totalBytes, detail: failure?.slice(0, 200) ?? null };
}
