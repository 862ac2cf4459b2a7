// The common part of the states of all players that show the same content by the same schedules, for their revisions and documents.
import type { DesiredState } from "../../../protocol/device/desired-state.ts";
import { withWallTimes, type StartAndEnd } from "../../../schedule/calendar/moments.ts";
import type { CalendarDays } from "../../schedule/calendars/holiday-calendars.ts";
import type { ScheduleRow } from "../../store/tables/content.ts";
import { desiredCalendars, type StateContent } from "./state-content.ts";

/** The fields of a state that do not describe its player. */
export type SharedFields = Omit<DesiredState, "revision" | "player">;

export class SharedState {
  readonly content: StateContent;
  readonly schedules: readonly ScheduleRow[];
  readonly calendars: readonly CalendarDays[];
  /** JSON of its part of the values that a revision is a digest of, without the brackets of their array. */
  readonly revisionValues: string;
  readonly #layoutIds: ReadonlySet<string>;
  #rendering: Rendering | null = null;

  constructor(content: StateContent, schedules: readonly ScheduleRow[], calendars: readonly CalendarDays[]) {
    this.content = content;
    this.schedules = schedules;
    this.calendars = calendars;
    this.#layoutIds = new Set(content.layouts.map(({ id }) => id));
    const values: unknown[] = [content.digest, schedules.map((row) => [row.id, row.name, row.layout_id, row.timing])];
    // Omitted when empty, so that revisions from versions without calendars stay the same.
    if (calendars.length > 0) values.push(calendars.map((calendar) => [calendar.id, calendar.digest]));
    this.revisionValues = withoutBrackets(JSON.stringify(values));
  }

  /** The id of a layout; null if the content does not have it. */
  known(layoutId: string | null): string | null {
    return layoutId !== null && this.#layoutIds.has(layoutId) ? layoutId : null;
  }

  /** The fields for a player with this layout. */
  fields(layoutId: string | null): SharedFields {
    const { layouts, playlists, assets } = this.content;
    return {
      layout: layouts.find((layout) => layout.id === layoutId) ?? null,
      layouts: layouts.filter((layout) => layout.id !== layoutId),
      playlists,
      assets,
      schedules: this.schedules.map(desiredSchedule),
      ...desiredCalendars(this.calendars),
    };
  }

  /** The memory that its rendering takes; 0: it is not rendered. */
  get renderedBytes(): number {
    return this.#rendering?.bytes ?? 0;
  }

  dropRendering(): void {
    this.#rendering = null;
  }

  /** The parts of the JSON of {@link fields}, without the opening bracket. Keeps them for the next player. */
  rendered(layoutId: string | null): Buffer[] {
    this.#rendering ??= this.#render();
    const { layouts, rest } = this.#rendering;
    const others = [...layouts].flatMap(([id, json]) => (id === layoutId ? [] : [comma, json])).slice(1);
    return [layoutName, (layoutId === null ? undefined : layouts.get(layoutId)) ?? nothing, layoutsName, ...others, rest];
  }

  #render(): Rendering {
    const { layout: _, layouts: __, ...rest } = this.fields(null);
    const layouts = new Map(this.content.layouts.map((layout) => [layout.id, Buffer.from(JSON.stringify(layout))]));
    const end = Buffer.from(`],${withoutBrackets(JSON.stringify(rest))}}`);
    return { layouts, rest: end, bytes: [...layouts.values()].reduce((sum, { length }) => sum + length, end.length) };
  }
}

/** The pieces of documents as bytes: joining them costs far less than making JSON of the content for each player. */
interface Rendering {
  layouts: ReadonlyMap<string, Buffer>;
  rest: Buffer;
  bytes: number;
}

const layoutName = Buffer.from('"layout":');
const layoutsName = Buffer.from(',"layouts":[');
const comma = Buffer.from(",");
const nothing = Buffer.from("null");

/** JSON of an array or object without its brackets. */
export function withoutBrackets(json: string): string {
  return json.slice(1, -1);
}

function desiredSchedule({ id, name, layout_id, timing }: ScheduleRow): Record<string, unknown> {
  const parsed = JSON.parse(timing) as StartAndEnd;
  return { id, name, layout_id, ...parsed, ...withWallTimes(parsed) };
}
