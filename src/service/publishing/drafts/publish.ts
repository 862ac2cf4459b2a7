// Publishes a draft in one transaction: finds the changes that others have made meanwhile, and applies the rest.
import type { Publication, Published } from "../../../protocol/operator/publishing.ts";
import { listFaults } from "../../../protocol/refusal.ts";
import { invalidField, ProblemError } from "../../http/problem.ts";
import type { Change } from "../../operations/unit-of-work.ts";
import type { Operator } from "../../people/operator.ts";
import type { Db } from "../../store/store.ts";
import type { DraftChangeRow, DraftRow } from "../../store/tables/content.ts";
import { applyImages, type Applied } from "../apply.ts";
import { requireKinds } from "./approval.ts";
import { changesOf, draftEvent, updateDraft } from "./drafts.ts";
import { readLive, type Live } from "../images.ts";
import { newestNumber } from "../versions/versions.ts";

/** The published changes, and the number of the version before them. */
export interface PublishedChange extends Applied {
  teamId: string;
  before: number;
}

/** The published state of the resources that a draft changes. */
export function liveOf(db: Db, teamId: string, changes: readonly DraftChangeRow[]): Promise<Map<string, Live>> {
  return readLive(
    db,
    teamId,
    changes.map(({ kind, resource_id: id }) => ({ kind, id })),
  );
}

/** True if someone has published another change of the same resource since the draft first changed it. */
export function isConflicting({ resource_id, base, after }: DraftChangeRow, live: ReadonlyMap<string, Live>): boolean {
  const image = live.get(resource_id)?.image ?? null;
  return image !== base && image !== after;
}

/**
 * Publishes a draft.
 * @param state the events that say how it came to this
 * @throws ProblemError 409 for conflicts that the body does not solve, or changes that no longer fit; 422 for an empty draft.
 */
export async function publishDraft(
  db: Db,
  operator: Operator,
  draft: DraftRow,
  { note, resolve }: Publication,
  now: number,
): Promise<Change<PublishedChange>> {
  const changes = await changesOf(db, draft.id);
  if (changes.length === 0) throw invalidField("", "the draft changes nothing: there is nothing to publish");
  requireKinds(
    operator,
    changes.map(({ kind }) => kind),
  );
  const live = await liveOf(db, draft.team_id, changes);
  const solved = new Map(resolve.map((each) => [each.id, each.resolve]));
  const open = changes.filter((change) => isConflicting(change, live) && !solved.has(change.resource_id));
  if (open.length > 0) throw conflicts(open);
  const mine = changes.filter((change) => !isConflicting(change, live) || solved.get(change.resource_id) === "mine");
  const wanted = mine.map(({ kind, resource_id: id, after }) => ({ kind, id, image: after }));
  const before = await newestNumber(db, draft.team_id);
  const applied = await applyImages(db, draft.team_id, wanted, now, false);
  // A draft of changes that are published already, or dropped, becomes no version.
  const version = applied.changes.length === 0 ? null : before + 1;
  await db.deleteFrom("draft_changes").where("draft_id", "=", draft.id).execute();
  const done = await updateDraft(db, draft, { state: "published", version, ...(note === undefined ? {} : { note }) }, now);
  const { affected, events } = applied;
  return {
    result: { ...applied, teamId: draft.team_id, before },
    affected,
    events: [...events, draftEvent("draft.published", done)],
    publishing: { note: done.note, draftId: draft.id, proposedBy: draft.state === "proposed" ? draft.proposed_by : null },
  };
}

function conflicts(open: readonly DraftChangeRow[]): ProblemError {
  const errors = open.map(({ kind, resource_id, name }) => ({
    pointer: `/changes/${kind}/${resource_id}`,
    detail: `“${name}” was changed by someone else meanwhile: publish your change over it (mine), or drop yours (theirs)`,
  }));
  return new ProblemError("draft-conflicts", `${listFaults(errors.map(({ detail }) => detail))}. Say which in \`resolve\``, { errors });
}

/** The response to a publication, inside its transaction. */
export function publishedOf({ changes, skipped }: PublishedChange, version: Published["version"]): Published {
  return { version, changes, skipped };
}
