// The input of scheduling decisions: the content that a player can show, and the properties of that player.
import type { DesiredState } from "../protocol/device/desired-state.ts";
import type { Intervention } from "./interventions.ts";

/** A desired state, and the files of it that are present. Callers pass the same object for the same content: it keys caches. */
export interface PlayableContent {
  desired: DesiredState;
  /** SHA-256 of each asset that is present, by asset id. */
  files: ReadonlyMap<string, string>;
}

/** The other inputs of a decision, besides the content and the instant. */
export interface PlayerContext {
  interventions: readonly Intervention[];
  /** IANA time zone of the device, for players without a time zone of their own. */
  deviceTimeZone: string;
}

/** A player without interventions, in UTC. */
export const defaultContext: PlayerContext = { interventions: [], deviceTimeZone: "UTC" };

/** Everything that a decision depends on besides the instant. */
export interface DecisionInput extends PlayerContext {
  content: PlayableContent;
}
