// Reading and writing calendars. A change names the version that it was made from, so that it never overwrites somebody else's.
import { queryOptions } from "@tanstack/react-query";
import { dayMs, iso } from "../../../../src/base/time.ts";
import { ProblemError, type Schemas } from "../../../../sdk/typescript/client.ts";
import type { Calendar } from "../../data/calendars.ts";
import { client } from "../../data/client.ts";
import { draftHeader } from "../../data/drafts/place.ts";
import type { Effect } from "../schedules/data.ts";
import type { CalendarDay, CalendarContent } from "./model/dates.ts";

export type CalendarUses = Schemas["CalendarUses"];
export type CalendarChange = { name?: string; dates?: CalendarDay[] };

/** A calendar, and its version for `If-Match`. */
export interface VersionedCalendar {
  calendar: Calendar;
  etag: string;
}

export function calendarQuery(id: string) {
  return queryOptions({
    queryKey: ["calendars", "one", id],
    queryFn: async ({ signal }): Promise<VersionedCalendar> => {
      const { data, response } = await client.get("/api/v1/calendars/{id}", { params: { path: { id } }, signal });
      return { calendar: data, etag: response.headers.get("etag") ?? "" };
    },
  });
}

export function usesQuery(id: string) {
  return queryOptions({
    // Screens, layouts, schedules and calendars make it old; uses in playlists are read again whenever the page is opened.
    queryKey: ["players", "uses", "calendars", id],
    queryFn: async ({ signal }): Promise<CalendarUses> =>
      (await client.get("/api/v1/calendars/{id}/uses", { params: { path: { id } }, signal })).data,
    staleTime: 0,
  });
}

/** @param draftId the draft to save it in; by default that of this tab */
export async function createCalendar({ name, dates }: CalendarContent, draftId?: string): Promise<Calendar> {
  const body = { name, dates: dates.map(dayOf) };
  return (await client.post("/api/v1/calendars", { body, headers: inDraft(draftId) })).data;
}

/** Changes a calendar, if it is still the version `etag`. @param draftId the draft to save it in; by default that of this tab */
export async function saveCalendar(id: string, change: CalendarChange, etag: string, draftId?: string): Promise<VersionedCalendar> {
  const { data, response } = await client.patch("/api/v1/calendars/{id}", {
    params: { path: { id } },
    headers: { "If-Match": etag, ...inDraft(draftId) },
    body: bodyOf(change),
  });
  const { warnings: _warnings, ...calendar } = data;
  return { calendar, etag: response.headers.get("etag") ?? "" };
}

export async function deleteCalendar(id: string): Promise<void> {
  await client.delete("/api/v1/calendars/{id}", { params: { path: { id } } });
}

/** The dates of an iCalendar file, and warnings about omissions. Nothing is stored. */
export async function readIcal(ical: string): Promise<Schemas["CalendarWithWarnings"]> {
  const init = { params: { query: { dry_run: "true" as const } }, body: { name: "iCalendar", ical } };
  return (await client.post("/api/v1/calendars", init)).data;
}

/** An effect covers a month: that of dates which differ later than in a fortnight is read from then on. */
const soonMs = 14 * dayMs;

/** The effect of a change in the month from now on, or from its beginning. @param first the first different date, such as `2026-12-24` */
export async function readCalendarEffect(id: string, change: CalendarChange, first: string, signal: AbortSignal): Promise<Effect> {
  const at = Date.parse(first);
  // A day before it, it is that day nowhere yet.
  const from = at > Date.now() + soonMs ? { from: iso(at - dayMs) } : {};
  const init = { params: { path: { id } }, body: { change: bodyOf(change), ...from }, signal };
  return (await client.post("/api/v1/calendars/{id}/effect", init)).data;
}

/** True if somebody else has changed the calendar meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 412;
}

function bodyOf({ name, dates }: CalendarChange): Schemas["CalendarChange"] {
  return { ...(name === undefined ? {} : { name }), ...(dates === undefined ? {} : { dates: dates.map(dayOf) }) };
}

function dayOf({ date, name }: CalendarDay): { date: string; name?: string } {
  return name === undefined ? { date } : { date, name };
}

function inDraft(id: string | undefined): Record<string, string> {
  return id === undefined ? {} : { [draftHeader]: id };
}
