// Operations for drafts: changes of content that are prepared together and published later.
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { id } from "../../../protocol/common.ts";
import {
  ContentId,
  ContentKind,
  Draft,
  ContentEffect,
  DraftEntry,
  DraftPatch,
  DraftsQuery,
  NewDraft,
} from "../../../protocol/operator/publishing.ts";
import { page } from "../../../protocol/operator/resources.ts";
import { pageOf } from "../../http/paging.ts";
import { ProblemError } from "../../http/problem.ts";
import { requireScope } from "../../people/operator.ts";
import { requireOwnDraft } from "../drafts/approval.ts";
import {
  checkState,
  deleteChange,
  deleteDraft,
  draftEvent,
  findDraft,
  insertDraft,
  newDraft,
  showDrafts,
  updateDraft,
} from "../drafts/drafts.ts";
import { effectOfDraft } from "../effect.ts";
import { showDraft } from "../drafts/show.ts";
import type { OutlookDependencies } from "../../schedule/outlook/outlook.ts";
import type { MakeId } from "../../store/ids.ts";
import type { Store } from "../../store/store.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { NoContent, operationsWith, type Operation } from "../../operations/operation.ts";
import { selectTeamRows } from "../../store/tables/team-rows.ts";

interface DraftDependencies extends OutlookDependencies {
  clock: Clock;
  makeId: MakeId;
  store: Store;
}

export const draftParams = z.strictObject({ id: id("drf") });
/** A generated example would show every kind of item. */
export const exampleDraft: Draft = {
  id: "drf_01jd3v8q6m9x2k4n7r5t1w0yzh",
  name: "Christmas",
  note: "Opening hours and the menu of December",
  state: "open",
  created_by: { user_id: "usr_01jd3v8q6m9x2k4n7r5t1w0yzh", name: "Ada" },
  proposed_at: null,
  decided_by: null,
  word: null,
  version: null,
  change_count: 0,
  created_at: "2026-11-27T22:00:00.000Z",
  updated_at: "2026-11-27T22:00:00.000Z",
  changes: [],
};
const usage =
  "Playlists, layouts, schedules and calendars are read and written in it with the header `Signage-Draft: drf_…`; forecasts and reasons too are then those that would be.";

const operation = operationsWith<DraftDependencies>();

export const draftOperations: readonly Operation<DraftDependencies>[] = [
  operation({
    name: "createDraft",
    tag: "drafts",
    method: "POST",
    path: "/drafts",
    summary: "Create a draft",
    description: `A draft holds changes of content that are published together, in one transaction. ${usage} A team has at most 500 drafts that are not published, of at most 1,000 changes each.`,
    agent: "Use it for changes that belong together or that a person wants to see first: pass its id as `draft` to the tools for content.",
    caller: "operator",
    scope: "drafts:write",
    body: NewDraft,
    example: { name: "Christmas", note: "Opening hours and the menu of December" },
    status: 201,
    output: Draft,
    outputExample: exampleDraft,
    errors: ["invalid", "in-use"],
    version: (draft) => draft,
    async run({ clock, makeId }, _context, { body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const row = newDraft(makeId("drf"), operator, body.name, body.note, Math.trunc(clock.now()));
        await insertDraft(db, row);
        return { result: await showDraft(db, row), events: [draftEvent("draft.created", row)] };
      });
    },
  }),
  operation({
    name: "listDrafts",
    tag: "drafts",
    method: "GET",
    path: "/drafts",
    summary: "List drafts",
    description: "Newest first, without their changes. Published drafts are kept for 90 days.",
    caller: "operator",
    scope: "drafts:read",
    query: DraftsQuery,
    status: 200,
    output: page(DraftEntry),
    errors: ["invalid"],
    async run({ store: { db } }, { teamId }, { query }) {
      const rows = selectTeamRows(db, "drafts", teamId, { state: query.state });
      const { data, next_cursor } = await pageOf(rows, query, (row) => row);
      return { data: await showDrafts(db, data), next_cursor };
    },
  }),
  operation({
    name: "getDraft",
    tag: "drafts",
    method: "GET",
    path: "/drafts/{id}",
    summary: "Read a draft",
    description: "With its changes: each resource before and after, and whether someone has published another change of it meanwhile.",
    caller: "operator",
    scope: "drafts:read",
    params: draftParams,
    status: 200,
    output: Draft,
    outputExample: exampleDraft,
    errors: ["not-found"],
    version: (draft) => draft,
    run: (dependencies, context, { params }) => readDraft(dependencies, context, params),
  }),
  operation({
    name: "updateDraft",
    tag: "drafts",
    method: "PATCH",
    path: "/drafts/{id}",
    summary: "Rename a draft",
    description: "Changes its name or its note. What it holds is changed by the operations for content.",
    caller: "operator",
    scope: "drafts:write",
    params: draftParams,
    body: DraftPatch,
    example: { name: "Christmas and New Year" },
    status: 200,
    output: Draft,
    outputExample: exampleDraft,
    errors: ["not-found", "invalid", "wrong-status", "forbidden"],
    version: (draft) => draft,
    current: readDraft,
    async run({ clock }, { teamId }, { params, body }, unitOfWork) {
      return unitOfWork.write(async (db, { operator }) => {
        const row = await findDraft(db, teamId, params.id);
        requireOwnDraft(operator, row);
        checkState(row, ["open", "returned"], "changed");
        const { name = row.name, note = row.note } = body;
        if (name === row.name && note === row.note) return { result: await showDraft(db, row) };
        const next = await updateDraft(db, row, { name, note }, Math.trunc(clock.now()));
        return { result: await showDraft(db, next), events: [draftEvent("draft.updated", next)] };
      });
    },
  }),
  operation({
    name: "deleteDraft",
    tag: "drafts",
    method: "DELETE",
    path: "/drafts/{id}",
    summary: "Delete a draft",
    description: "For good, with its changes. What is published stays as it is.",
    caller: "operator",
    scope: "drafts:write",
    params: draftParams,
    status: 204,
    output: NoContent,
    errors: ["not-found", "precondition-failed", "forbidden"],
    current: readDraft,
    async run(_dependencies, { teamId }, { params }, unitOfWork) {
      await unitOfWork.write(async (db, { operator }) => {
        const row = await findDraft(db, teamId, params.id);
        requireOwnDraft(operator, row);
        await deleteDraft(db, row.id);
        return { result: undefined, events: [draftEvent("draft.deleted", row)] };
      });
    },
  }),
  operation({
    name: "dropDraftChange",
    tag: "drafts",
    method: "DELETE",
    path: "/drafts/{id}/changes/{kind}/{resource_id}",
    summary: "Drop one change of a draft",
    description: "In the draft the resource is then as it is published.",
    caller: "operator",
    scope: "drafts:write",
    params: draftParams.extend({ kind: ContentKind, resource_id: ContentId }),
    status: 204,
    output: NoContent,
    errors: ["not-found", "invalid", "wrong-status", "forbidden"],
    async run({ clock }, { teamId }, { params }, unitOfWork) {
      await unitOfWork.write(async (db, { operator }) => {
        const row = await findDraft(db, teamId, params.id);
        requireOwnDraft(operator, row);
        checkState(row, ["open", "returned"], "changed");
        if (!(await deleteChange(db, row.id, params))) throw new ProblemError("not-found", "The draft does not change this resource");
        const next = await updateDraft(db, row, {}, Math.trunc(clock.now()));
        return { result: undefined, events: [draftEvent("draft.updated", next)] };
      });
    },
  }),
  operation({
    name: "getDraftEffect",
    tag: "drafts",
    method: "GET",
    path: "/drafts/{id}/effect",
    summary: "Forecast what a draft would change",
    description:
      "Which screens would show something else within a week, when first, and the times at which a screen would be left empty. Computed from the forecasts with and without the draft, for at most 1,000 screens. Needs also the scope `players:read`.",
    agent: "Use it before publish_draft, and tell people what it says.",
    caller: "operator",
    scope: "drafts:read",
    params: draftParams,
    status: 200,
    output: ContentEffect,
    errors: ["not-found", "forbidden"],
    async run(dependencies, { teamId, operator }, { params }) {
      // It names screens.
      requireScope(operator, "players:read");
      return effectOfDraft(dependencies, teamId, params.id);
    },
  }),
];

/** A draft with its changes. */
export async function readDraft({ store }: { store: Store }, { teamId }: OperatorContext, params: { id: string }): Promise<Draft> {
  return showDraft(store.db, await findDraft(store.db, teamId, params.id));
}
