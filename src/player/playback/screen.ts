// Chooses the screen to show: pairing, an empty screen, preparation, withheld content, or the stage. Pure.
import { problemCatalog } from "../../protocol/device/player-problems.ts";
import type { FoundService } from "../../protocol/device/discovery.ts";
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { Screen, Stage, ScreenProblem } from "../../protocol/scene.ts";
import type { Link } from "../link/impairment.ts";
import type { DownloadProgress } from "../content/download-progress.ts";
import type { EnrolmentState } from "../pairing/enrolment.ts";
import type { PairingState } from "../pairing/pairing.ts";
import { showsAnything } from "../../playback/playback.ts";
import { isSvg, mediaPath } from "../../playback/scene-item.ts";
import { timesInWords, type WithheldContent } from "../surface/withheld-content.ts";

/** Everything that the choice of a screen depends on. */
export interface ScreenContext {
  /** The service's address, for people. */
  service: string;
  /** The device's own addresses and version, for people. */
  device: string;
  phase:
    | { is: "unpaired"; pairing: PairingState; enrolment: EnrolmentState | null; notice: string | null }
    | {
        is: "no-server";
        machineName: string;
        command: string;
        file: string | null;
        services: readonly FoundService[];
        problem: string | null;
      }
    | { is: "disk-unreadable"; reason: string; retryAt: number | null }
    | {
        is: "paired";
        playerName: string;
        link: Link;
        /** `idle`: there is content, but none of it is due. `incomplete`: files of it are lost. */
        known: "nothing" | "empty" | "idle" | "incomplete" | "content";
        progress: DownloadProgress;
        stage: Stage | null;
        /** The operator's picture for withheld content. */
        safePicture: DesiredAsset | null;
      };
  /** The content that is or recently was withheld; null if there is none. */
  withheld: WithheldContent | null;
}

/** The screen to show. Content that is playing stays on the screen despite any other problem. */
export function screenOf({ service, device, phase, withheld }: ScreenContext): Screen {
  switch (phase.is) {
    case "no-server": {
      const { machineName: machine_name, command, file, services, problem } = phase;
      return { is: "no-server", machine_name, command, file, services: [...services], device, problem };
    }
    case "disk-unreadable": {
      const text = `The device cannot read its disk: ${phase.reason}`;
      return { is: "disk-unreadable", trouble: { code: "disk", text, retry_at: phase.retryAt }, remedy: unreadableRemedy, device };
    }
    case "unpaired": {
      const { pairing, enrolment, notice } = phase;
      const code = pairing.is === "code" ? pairing.code : null;
      const claim_url = pairing.is === "code" ? pairing.claimUrl : null;
      return { is: "pairing", code, claim_url, service, device, notice, enrolment, trouble: pairing.trouble };
    }
    case "paired": {
      const { playerName: player_name, link, known, progress, stage, safePicture } = phase;
      const problem = link.is === "offline" ? link.trouble : downloadProblem(progress);
      if (withheld?.isNow === true && !withheld.hasFailed && safePicture !== null) return { is: "stage", stage: pictureStage(safePicture) };
      if (withheld?.isNow === true) return withheldScreen(withheld, player_name, service);
      if (stage !== null && showsAnything(stage)) return { is: "stage", stage };
      if (known === "empty" || known === "idle" || (stage !== null && known !== "incomplete")) {
        const is_assigned = known === "idle" || stage !== null;
        return { is: "empty", player_name, link: link.is === "polling" ? "online" : link.is, is_assigned, service, trouble: problem };
      }
      const { readyBytes: ready_bytes, totalBytes: total_bytes, readyFiles: ready_files, totalFiles: total_files } = progress;
      return { is: "preparing", player_name, ready_bytes, total_bytes, ready_files, total_files, service, trouble: problem };
    }
  }
}

const unreadableRemedy =
  "Nothing on it is changed, and the screen goes on by itself once the disk can be read. If it cannot, check or replace its memory card or disk.";

/** A stage of the picture alone, whole and as large as fits. It has no zones, so it counts as no play. */
function pictureStage(picture: DesiredAsset): Stage {
  const { sha256, width, height } = picture;
  const size = { width: width ?? defaultSize.width, height: height ?? defaultSize.height };
  const background = { background_src: mediaPath(picture), ...(isSvg(picture) && { background_is_svg: true }) };
  return { key: `safe ${sha256}`, ...size, background_color: "#000000", ...background, zones: [] };
}

// Drawings without a size of their own fit any.
const defaultSize = { width: 1_920, height: 1_080 };

function downloadProblem({ is, shortage, detail }: DownloadProgress): ScreenProblem | null {
  if (shortage !== null) {
    const text = `There is no room for the content: ${shortage}. Free some space or use a larger disk: the screen goes on by itself.`;
    return { code: "disk", text, retry_at: null };
  }
  const text = `A file could not be downloaded. The screen tries again. ${detail ?? ""}`.trim();
  if (is === "failed") return { code: "other", text, retry_at: null };
  return is === "waiting" && detail !== null
    ? { code: "other", text: `${detail[0]!.toUpperCase()}${detail.slice(1)}.`, retry_at: null }
    : null;
}

function withheldScreen({ fault, failures, until }: WithheldContent, player_name: string, service: string): Screen {
  const text = `Showing the content made the browser fail ${timesInWords(failures)} within five minutes (${fault}). The screen tries it again by itself.`;
  const { remedy } = problemCatalog["content-withheld"];
  return { is: "withheld", player_name, trouble: { code: "other", text, retry_at: until }, remedy, service };
}
