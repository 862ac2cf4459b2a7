// Reading and writing schedules. A change names the version that it was made from, so that it never overwrites somebody else's.
import { queryOptions } from "@tanstack/react-query";
import { dayMs, iso } from "../../../../src/base/time.ts";
import { ProblemError, type Schemas } from "../../../../sdk/typescript/client.ts";
import { client } from "../../data/client.ts";
import { draftHeader } from "../../data/drafts/place.ts";
import type { Schedule, ScheduleChange } from "./model/form.ts";

export type Layout = Schemas["Layout"];
export type Calendar = Schemas["Calendar"];
export type Effect = Schemas["ScheduleEffect"];
export type ScheduleOutlook = Schemas["ScheduleOutlook"];

/** A schedule, and its version for `If-Match`. */
export interface VersionedSchedule {
  schedule: ScheduleOutlook;
  etag: string;
}

export const schedulesQuery = queryOptions({
  queryKey: ["schedules", "all"],
  queryFn: async ({ signal }): Promise<Schedule[]> => {
    const all: Schedule[] = [];
    for await (const each of client.pages("/api/v1/schedules", { params: { query: { limit: 100 } }, signal })) all.push(each);
    return all;
  },
});

export function scheduleQuery(id: string) {
  return queryOptions({
    queryKey: ["schedules", "one", id],
    queryFn: async ({ signal }): Promise<VersionedSchedule> => {
      const { data, response } = await client.get("/api/v1/schedules/{id}", { params: { path: { id } }, signal });
      return { schedule: data, etag: response.headers.get("etag") ?? "" };
    },
  });
}

export const layoutsQuery = queryOptions({
  queryKey: ["layouts", "all"],
  queryFn: async ({ signal }): Promise<Layout[]> => {
    const all: Layout[] = [];
    for await (const each of client.pages("/api/v1/layouts", { params: { query: { limit: 100 } }, signal })) all.push(each);
    return all;
  },
});

export const calendarsQuery = queryOptions({
  queryKey: ["calendars", "all"],
  queryFn: async ({ signal }): Promise<Calendar[]> => {
    const all: Calendar[] = [];
    for await (const each of client.pages("/api/v1/calendars", { params: { query: { limit: 100 } }, signal })) all.push(each);
    return all.toSorted((one, other) => one.name.localeCompare(other.name));
  },
});

/** A change of a schedule. Its id is null: it is new; its change is null: it is deleted. */
export interface TriedChange {
  schedule_id: string | null;
  change: ScheduleChange | null;
}

/** An effect covers a month: that of a change which begins later than in a fortnight is read from the change's own beginning on. */
const soonMs = 14 * dayMs;

/**
 * The effect of changes together, in the month from now on, or from when they begin.
 * @param startsAt the earliest wall time, UTC ms, at which anything can differ
 */
export async function readEffect(changes: readonly TriedChange[], startsAt: number, signal: AbortSignal): Promise<Effect> {
  // A day before it, it is that time nowhere yet.
  const from = startsAt > Date.now() + soonMs ? { from: iso(startsAt - dayMs) } : {};
  return (await client.post("/api/v1/schedules/effect", { body: { changes: [...changes], ...from }, signal })).data;
}

/** @param draftId the draft to save it in; by default that of this tab */
export async function createSchedule(change: ScheduleChange, draftId?: string): Promise<ScheduleOutlook> {
  // The service checks whether all fields of a new schedule are there.
  return (await client.post("/api/v1/schedules", { body: change as Schemas["NewSchedule"], headers: inDraft(draftId) })).data;
}

/** Changes a schedule, if it is still the version `etag`; null: whichever it is. @param draftId the draft to save it in; by default that of this tab */
export async function saveSchedule(id: string, change: ScheduleChange, etag: string | null, draftId?: string): Promise<VersionedSchedule> {
  const { data, response } = await client.patch("/api/v1/schedules/{id}", {
    params: { path: { id } },
    headers: { ...(etag === null ? {} : { "If-Match": etag }), ...inDraft(draftId) },
    body: change,
  });
  return { schedule: data, etag: response.headers.get("etag") ?? "" };
}

function inDraft(id: string | undefined): Record<string, string> {
  return id === undefined ? {} : { [draftHeader]: id };
}

export async function deleteSchedule(id: string): Promise<void> {
  await client.delete("/api/v1/schedules/{id}", { params: { path: { id } } });
}

export async function restoreSchedule(id: string): Promise<void> {
  await client.post("/api/v1/schedules/{id}/restore", { params: { path: { id } } });
}

/** True if somebody else has changed the schedule meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 412;
}
