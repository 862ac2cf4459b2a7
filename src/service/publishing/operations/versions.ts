// Operations for versions: their changes, time, author and reason, and going back to them.
import { z } from "zod";
import { id } from "../../../protocol/common.ts";
import {
  Arrival,
  ContentEffect,
  Published,
  refOf,
  Restoration,
  RestorationQuery,
  Version,
  VersionEntry,
} from "../../../protocol/operator/publishing.ts";
import { page, PageQuery } from "../../../protocol/operator/resources.ts";
import type { Presence } from "../../fleet/presence/presence.ts";
import { pageOf } from "../../http/paging.ts";
import { found } from "../../http/problem.ts";
import { requireScope } from "../../people/operator.ts";
import { applyImages } from "../apply.ts";
import { requireKinds } from "../drafts/approval.ts";
import { arrivalOf, findVersion, findVersionOf, showVersion, showVersions, targetsOf, versionAfter, versionsOf } from "../versions/show.ts";
import { effectOfRestoring } from "../effect.ts";
import { checkKnown, contentToRestore } from "../versions/restore.ts";
import { newestNumber } from "../versions/versions.ts";
import type { OutlookDependencies } from "../../schedule/outlook/outlook.ts";
import type { Store } from "../../store/store.ts";
import { findTeamRow, selectTeamRows } from "../../store/tables/team-rows.ts";
import type { OperatorContext } from "../../operations/context.ts";
import { operationsWith, type Operation } from "../../operations/operation.ts";

interface VersionDependencies extends OutlookDependencies {
  presence: Presence;
  store: Store;
}

const params = z.strictObject({
  number: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, "must be the number of a version")
    .describe("The number of a version")
    .meta({ examples: ["12"] }),
});

/** A generated example would show every kind of item. */
const exampleVersion: Version = {
  id: "ver_01jd3v8q6m9x2k4n7r5t1w0yzh",
  number: 12,
  created_by: { user_id: "usr_01jd3v8q6m9x2k4n7r5t1w0yzh", name: "Ada" },
  note: null,
  draft_id: null,
  proposed_by: null,
  restored_from: null,
  change_count: 1,
  changes: [
    {
      kind: "calendar",
      id: "cal_01jd3v8q6m9x2k4n7r5t1w0yzh",
      name: "Public holidays",
      action: "created",
      before: null,
      after: {
        id: "cal_01jd3v8q6m9x2k4n7r5t1w0yzh",
        name: "Public holidays",
        dates: [{ date: "2026-12-25", name: "Christmas Day" }],
        created_at: "2026-11-27T22:00:00.000Z",
        updated_at: "2026-11-27T22:00:00.000Z",
      },
    },
  ],
  created_at: "2026-11-27T22:00:00.000Z",
};

const operation = operationsWith<VersionDependencies>();

export const versionOperations: readonly Operation<VersionDependencies>[] = [
  operation({
    name: "listVersions",
    tag: "versions",
    method: "GET",
    path: "/versions",
    summary: "List versions",
    description:
      "Newest first. Every publication of content is a version: a write over REST or MCP is one, a draft is one, also what the service itself does, such as at the end of a show. Kept for 400 days, and always the newest 100.",
    agent: "Use it to find out what has changed on the screens, by whom and why.",
    caller: "operator",
    scope: "versions:read",
    query: PageQuery,
    status: 200,
    output: page(VersionEntry),
    errors: ["invalid"],
    run: ({ store }, { teamId }, { query }) => listOf(store, selectTeamRows(store.db, "versions", teamId), query),
  }),
  operation({
    name: "getVersion",
    tag: "versions",
    method: "GET",
    path: "/versions/{number}",
    summary: "Read a version",
    description: "With each resource that it changed, before and after. A version never changes.",
    caller: "operator",
    scope: "versions:read",
    params,
    status: 200,
    output: Version,
    outputExample: exampleVersion,
    errors: ["not-found", "invalid"],
    run: async ({ store: { db } }, { teamId }, input) => showVersion(db, await findVersion(db, teamId, Number(input.params.number))),
  }),
  operation({
    name: "restoreVersion",
    tag: "versions",
    method: "POST",
    path: "/versions/{number}/restore",
    summary: "Go back to a version",
    description:
      "Makes playlists, layouts, schedules and calendars what they were right after this version, as a new version; with `only` just some of them. What exists since goes to the bin. Items of files that were deleted for good are left out, and `skipped` says what else cannot be. With `dry_run=true` it only says what would change, with `Signage-Draft` it changes a draft. Needs the `write` scope of each kind of content that changes.",
    agent: "Use it to undo. Try it with dry_run first and tell people what it changes.",
    caller: "operator",
    scope: "versions:write",
    drafts: true,
    params,
    body: Restoration,
    example: { only: [{ kind: "playlist", id: "pls_01jd3v8q6m9x2k4n7r5t1w0yzh" }], note: "The new menu was wrong" },
    status: 200,
    output: Published,
    errors: ["not-found", "invalid", "forbidden"],
    async run({ clock }, { teamId }, { params: { number: text }, body }, unitOfWork) {
      const number = Number(text);
      return unitOfWork.write(
        async (db, { operator }) => {
          const wanted = await contentToRestore(db, teamId, number, body.only);
          await checkKnown(db, teamId, body.only ?? []);
          const before = await newestNumber(db, teamId);
          const applied = await applyImages(db, teamId, wanted, Math.trunc(clock.now()), true);
          requireKinds(
            operator,
            applied.changes.map(({ kind }) => kind),
          );
          const { affected, events } = applied;
          return { result: { ...applied, before }, affected, events, publishing: { note: body.note ?? null, restoredFrom: number } };
        },
        async (db, { changes, skipped, before }) => ({ version: await versionAfter(db, teamId, before), changes, skipped }),
      );
    },
  }),
  operation({
    name: "getVersionEffect",
    tag: "versions",
    method: "GET",
    path: "/versions/{number}/effect",
    summary: "Forecast what going back to a version would change",
    description:
      "Which screens would show something else within a week, when first, and the times at which a screen would be left empty, if `POST /versions/{number}/restore` were called now. For at most 1,000 screens. Needs also the scope `players:read`.",
    agent: "Use it before restore_version, and tell people what it says.",
    caller: "operator",
    scope: "versions:read",
    params,
    query: RestorationQuery,
    status: 200,
    output: ContentEffect,
    errors: ["not-found", "invalid", "forbidden"],
    async run(dependencies, { teamId, operator }, { params: { number }, query: { only } }) {
      // It names screens.
      requireScope(operator, "players:read");
      return effectOfRestoring(dependencies, teamId, Number(number), only?.split(",").map(refOf));
    },
  }),
  operation({
    name: "getVersionArrival",
    tag: "versions",
    method: "GET",
    path: "/versions/{number}/arrival",
    summary: "See where a version has arrived",
    description:
      "For each screen whose content it changed: whether the screen plays it, waits for it, is offline, or failed and why. Needs also the scope `players:read`.",
    agent: "Use it after publishing, to tell people on how many screens it is.",
    caller: "operator",
    scope: "versions:read",
    params,
    status: 200,
    output: Arrival,
    errors: ["not-found", "invalid", "forbidden"],
    async run({ presence, store: { db } }, { teamId, operator }, input) {
      // It names screens.
      requireScope(operator, "players:read");
      const version = await findVersion(db, teamId, Number(input.params.number));
      return arrivalOf(presence, version.number, await targetsOf(db, version));
    },
  }),
  ...(["playlists", "layouts", "schedules"] as const).map((table) => {
    const noun = table.slice(0, -1);
    const prefix = { playlists: "pls", layouts: "lay", schedules: "sch" } as const;
    return operation({
      name: `list${noun[0]!.toUpperCase()}${noun.slice(1)}Versions`,
      tag: "versions",
      method: "GET",
      path: `/${table}/{id}/versions`,
      summary: `List the versions of a ${noun}`,
      description: `The versions that changed it, newest first, also after it was deleted. Going back: \`POST /versions/{number}/restore\` with \`only\`.`,
      caller: "operator",
      scope: "versions:read",
      params: z.strictObject({ id: id(prefix[table]) }),
      query: PageQuery,
      status: 200,
      output: page(VersionEntry),
      errors: ["not-found", "invalid"],
      run: async ({ store }: VersionDependencies, { teamId }: OperatorContext, { params: given, query }) => {
        const rows = versionsOf(store.db, teamId, given.id);
        found((await findTeamRow(store.db, table, teamId, given.id)) ?? (await findVersionOf(store.db, teamId, given.id)), noun);
        return listOf(store, rows, query);
      },
    });
  }),
];

async function listOf({ db }: Store, rows: ReturnType<typeof versionsOf>, query: z.output<typeof PageQuery>) {
  const { data, next_cursor } = await pageOf(rows, query, (row) => row, { by: ["number"] });
  return { data: await showVersions(db, data), next_cursor };
}
