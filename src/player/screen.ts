// Decides which screen the glass shows: pairing, empty, on its way, or the stage. Pure.
import type { Screen, Stage, Trouble } from "../protocol/scene.ts";
import type { Link } from "./connection.ts";
import type { Progress } from "./progress.ts";
import type { PairingState } from "./pairing.ts";

/** All that the choice of a screen depends on. */
export interface View {
  /** The service's address, for people. */
  service: string;
  phase:
    | { is: "starting" }
    | { is: "unpaired"; pairing: PairingState; notice: string | null }
    | {
        is: "paired";
        playerName: string;
        link: Link;
        known: "nothing" | "empty" | "content";
        progress: Progress;
        stage: Stage | null;
      };
  /** Why content is withheld, null when it is not. */
  safe: string | null;
}

/** The screen for `view`. Content that plays stays, whatever else is wrong. */
export function screenOf({ service, phase, safe }: View): Screen {
  switch (phase.is) {
    case "starting":
      return { is: "starting" };
    case "unpaired": {
      const { pairing, notice } = phase;
      const code = pairing.is === "code" ? pairing.code : null;
      return {
        is: "pairing",
        code,
        claim_url: pairing.is === "code" ? pairing.claimUrl : null,
        service,
        notice,
        trouble: pairing.trouble,
      };
    }
    case "paired": {
      const { playerName: player_name, link, known, progress, stage } = phase;
      const trouble = link.is === "offline" ? link.trouble : progress.is === "failed" ? stuck(progress) : null;
      if (safe !== null) return { is: "empty", player_name, service, trouble: withheld(safe) };
      if (stage !== null && hasPicture(stage)) return { is: "stage", stage };
      if (known === "empty" || stage !== null) return { is: "empty", player_name, service, trouble };
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

function stuck(progress: Progress): Trouble {
  return {
    code: "other",
    text: `A file could not be fetched and is tried again. ${progress.detail ?? ""}`.trim(),
    retry_at: null,
  };
}

function withheld(fault: string): Trouble {
  return {
    code: "other",
    text: `The content made the browser fail again and again (${fault}). It is tried again in a minute.`,
    retry_at: null,
  };
}
