// The calendars that conditions of items refer to: their dates and names.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { calendarsQuery } from "../../../data/calendars.ts";

interface Calendars {
  /** The dates of each by its id. Empty until they are read. */
  dates: ReadonlyMap<string, readonly string[]>;
  nameOf: (id: string) => string;
}

export function useCalendars(): Calendars {
  const { data } = useQuery(calendarsQuery);
  return useMemo(() => {
    const names = new Map(data?.map(({ id, name }) => [id, name]));
    const dates = new Map(data?.map((calendar) => [calendar.id, calendar.dates.map(({ date }) => date)]));
    return { dates, nameOf: (id) => names.get(id) ?? "…" };
  }, [data]);
}
