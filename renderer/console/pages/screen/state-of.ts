// The state of a screen as its page names it. The service alone decides it, so that the wall and this page say the same.
import type { RosterPlayer } from "../../data/roster.ts";
import { kinds } from "../screens/words.tsx";

export interface ScreenState {
  is: RosterPlayer["state"] | "maintenance";
  kind: "good" | "warn" | "bad" | "off";
}

export function stateOf({ state, off_reason }: RosterPlayer): ScreenState {
  return { is: off_reason === "maintenance" ? "maintenance" : state, kind: kinds[state] };
}
