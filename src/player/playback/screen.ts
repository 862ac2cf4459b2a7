// Decides which screen the glass shows: pairing, empty, on its way, withheld, or the stage. Pure.
import { problemCatalog } from "../../protocol/device/player-problems.ts";
import type { Screen, Stage, Trouble } from "../../protocol/scene.ts";
import type { Link } from "../link/connection.ts";
import type { DownloadProgress } from "../content/download-progress.ts";
import type { PairingState } from "../pairing/pairing.ts";
import type { WithheldContent } from "../surface/recovery.ts";

/** All that the choice of a screen depends on. */
export interface ScreenContext {
  /** The service's address, for people. */
  service: string;
  /** The device's own addresses and version, for people. */
  device: string;
  phase:
    | { is: "unpaired"; pairing: PairingState; notice: string | null }
    | {
        is: "paired";
        playerName: string;
        link: Link;
        /** `idle`: there is content, and nothing of it is due. */
        known: "nothing" | "empty" | "idle" | "content";
        progress: DownloadProgress;
        stage: Stage | null;
      };
  /** Why content is or was withheld lately, null when it was not. */
  withheld: WithheldContent | null;
}

/** The screen for `view`. Content that plays stays, whatever else is wrong. */
export function screenOf({ service, device, phase, withheld: safe }: ScreenContext): Screen {
  switch (phase.is) {
    case "unpaired": {
      const { pairing, notice } = phase;
      const code = pairing.is === "code" ? pairing.code : null;
      return {
        is: "pairing",
        code,
        claim_url: pairing.is === "code" ? pairing.claimUrl : null,
        service,
        device,
        notice,
        trouble: pairing.trouble,
      };
    }
    case "paired": {
      const { playerName: player_name, link, known, progress, stage } = phase;
      const trouble = link.is === "offline" ? link.trouble : progress.is === "failed" ? stuck(progress) : null;
      if (safe?.isNow === true) return withheld(safe, player_name, service);
      if (stage !== null && hasPicture(stage)) return { is: "stage", stage };
      if (known === "empty" || known === "idle" || stage !== null) {
        const is_assigned = known === "idle" || stage !== null;
        return { is: "empty", player_name, link: link.is === "polling" ? "online" : link.is, is_assigned, service, trouble };
      }
      return {
        is: "preparing",
        player_name,
        ready_bytes: progress.readyBytes,
        total_bytes: progress.totalBytes,
        service,
        trouble,
      };
    }
  }
}

/** Whether a stage shows anything: a background is a picture too. */
function hasPicture({ zones, background_src }: Stage): boolean {
  return background_src !== undefined || zones.some(({ slots }) => slots.length > 0);
}

function stuck(progress: DownloadProgress): Trouble {
  return {
    code: "other",
    text: `A file could not be fetched and is tried again. ${progress.detail ?? ""}`.trim(),
    retry_at: null,
  };
}

function withheld({ fault, failures, until }: WithheldContent, player_name: string, service: string): Screen {
  const times = failures === 1 ? "once" : `${failures} times`;
  const text = `Showing the content made the browser fail ${times} within five minutes (${fault}). It is tried again by itself.`;
  const { remedy } = problemCatalog["content-withheld"];
  return { is: "withheld", player_name, trouble: { code: "other", text, retry_at: until }, remedy, service };
}
