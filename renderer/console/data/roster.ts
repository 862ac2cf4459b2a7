// The screens of the team for lists, pickers and the wall, kept true by events.
import { useCallback, useSyncExternalStore } from "react";
import type { RosterPlayer } from "../../../src/protocol/operator/roster.ts";
import { RosterStore, type RosterSnapshot } from "./roster/store.ts";
import { useSession } from "./session.ts";

export type { RosterPlayer } from "../../../src/protocol/operator/roster.ts";
export type { RosterState } from "../../../src/protocol/operator/roster-states.ts";

const store = new RosterStore();

/** All screens as far as they have been read. It changes a few times a second at most, however much happens. */
export function useRoster(): RosterSnapshot {
  useOwner();
  return useSyncExternalStore(
    useCallback((listener: () => void) => store.listen(listener), []),
    () => store.snapshot,
  );
}

/** One screen; undefined: it does not exist, or has not been read yet. Only this row's changes are told. */
export function useRosterRow(id: string): RosterPlayer | undefined {
  useOwner();
  return useSyncExternalStore(
    useCallback((listener: () => void) => store.listenTo(id, listener), [id]),
    () => store.row(id),
  );
}

/** Reads all screens again, after an error. */
export function retryRoster(): void {
  store.retry();
}

function useOwner(): void {
  const { team, user } = useSession();
  store.belongTo(`${team.id} ${user.id}`);
}
