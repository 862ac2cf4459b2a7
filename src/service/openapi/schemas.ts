// JSON Schemas of the protocol's zod schemas: each exported one is a component under its own name, written once.
import { z } from "zod";
import * as assets from "../../protocol/content/assets.ts";
import * as calendars from "../../protocol/scheduling/calendars.ts";
import * as command from "../../protocol/device/commands.ts";
import * as desired from "../../protocol/device/desired-state.ts";
import * as events from "../../protocol/operator/events.ts";
import * as forecast from "../../protocol/scheduling/forecast.ts";
import * as history from "../../protocol/operator/heartbeat-history.ts";
import * as items from "../../protocol/content/items.ts";
import * as people from "../../protocol/operator/people.ts";
import * as playEvents from "../../protocol/device/play-events.ts";
import * as problems from "../../protocol/device/player-problems.ts";
import * as report from "../../protocol/device/heartbeat.ts";
import * as resources from "../../protocol/operator/resources.ts";
import * as walls from "../../protocol/content/wall.ts";
import * as webhooks from "../../protocol/operator/webhooks.ts";
import * as conditions from "../../protocol/scheduling/conditions.ts";
import * as moments from "../../protocol/scheduling/moments.ts";
import * as schedule from "../../protocol/scheduling/schedules.ts";
import * as completeSchedule from "../../schedule/validate-schedule.ts";
import * as variables from "../../protocol/scheduling/variables.ts";
import * as wire from "../../protocol/device/messages.ts";
import * as looks from "../../protocol/content/item-styles.ts";
import * as orientation from "../../protocol/content/orientation.ts";
import * as playCommand from "../../protocol/device/play-commands.ts";
import * as shows from "../../protocol/operator/shows.ts";
import * as siteItems from "../../protocol/content/web-items.ts";
import * as uploadLinks from "../../protocol/content/upload-links.ts";
import * as transition from "../../protocol/content/transition.ts";
import * as opening from "../../protocol/scheduling/opening-hours.ts";
import type { Schema } from "./json.ts";

// A module of the protocol that is missing here has its schemas written out wherever they are used.
const modules: readonly Record<string, unknown>[] = [
  resources,
  items,
  assets,
  command,
  problems,
  report,
  desired,
  wire,
  people,
  events,
  webhooks,
  playEvents,
  variables,
  moments,
  conditions,
  schedule,
  completeSchedule,
  calendars,
  forecast,
  history,
  looks,
  orientation,
  playCommand,
  siteItems,
  shows,
  uploadLinks,
  transition,
  walls,
  opening,
];
const componentTypes = ["object", "union", "enum", "intersection"];

// Formats that JSON Schema knows and that say all that zod's pattern does.
const formats = ["date-time", "date", "time", "email", "uri", "uuid", "ipv4", "ipv6"];

type Direction = "input" | "output";
const directions: readonly Direction[] = ["input", "output"];

/** Gathers the components that a document's schemas refer to. */
export class Schemas {
  readonly #found: Record<Direction, Map<string, Schema>> = { input: new Map(), output: new Map() };

  constructor() {
    nameComponents();
  }

  /** The schema of what comes in or goes out. Its references are settled by {@link settle}. */
  of(schema: z.ZodType, direction: Direction): Schema {
    // Inside an object, since a root would be written out even if it has a name.
    const whole = z.toJSONSchema(z.object({ it: schema }), { io: direction, unrepresentable: "any", override: plain }) as Schema;
    const point = (part: Schema) => mapReferences(part, (name) => `${direction}:${name}`);
    for (const [name, { id: _id, ...found }] of Object.entries((whole["$defs"] ?? {}) as Record<string, Schema>)) {
      this.#found[direction].set(name, point(found));
    }
    return point(whole.properties!["it"]!);
  }

  /** As {@link of}, but written out even where it is a component: for parameters, which are told one by one. */
  fieldsOf(schema: z.ZodType, direction: Direction): Schema {
    const found = this.of(schema, direction);
    return found.$ref === undefined ? found : this.#found[direction].get(found.$ref.slice(found.$ref.indexOf(":") + 1))!;
  }

  /** All components by name, and the document's part with its references made good. What differs by direction is two. */
  settle<T extends object>(part: T): { part: T; components: Record<string, Schema> } {
    const { input, output } = this.#found;
    const twofold = this.#twofold();
    const nameOf = (key: string): string => {
      const name = key.slice(key.indexOf(":") + 1);
      return key.startsWith("input:") && twofold.has(name) ? `${name}Input` : name;
    };
    const settled = <P extends object>(given: P): P => mapReferences(given, nameOf);
    const all = directions.flatMap((direction) =>
      [...this.#found[direction]].map(([name, schema]) => [nameOf(`${direction}:${name}`), settled(schema)] as const),
    );
    for (const name of twofold) {
      if (input.has(`${name}Input`) || output.has(`${name}Input`)) throw new TypeError(`the component name ${name}Input is taken twice`);
    }
    const components = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const whole = settled(part);
    const used = reachable(whole, components);
    return { part: whole, components: Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name))) };
  }

  /** Components that come in otherwise than they go out, or refer to such. */
  #twofold(): Set<string> {
    const { input, output } = this.#found;
    const both = [...input.keys()].filter((name) => output.has(name));
    const textOf = (schema: Schema) => JSON.stringify(mapReferences(schema, (key) => key.slice(key.indexOf(":") + 1)));
    const twofold = new Set(both.filter((name) => textOf(input.get(name)!) !== textOf(output.get(name)!)));
    for (let before = -1; before !== twofold.size;) {
      before = twofold.size;
      for (const name of both) if (referencesOf(input.get(name)!).some((key) => twofold.has(key.slice(6)))) twofold.add(name);
    }
    return twofold;
  }
}

/** The schema of an object that stands by itself: named schemas are in its own `$defs`. */
export function wholeSchema(schema: z.ZodType, direction: Direction): Schema {
  nameComponents();
  // What goes out is for programs: what stands in it twice is written once.
  const reused = direction === "output" ? "ref" : "inline";
  const options = { io: direction, unrepresentable: "any", override: plain, reused } as const;
  // Inside an object, since a root that has a name would be a mere reference.
  const { properties, $defs } = z.toJSONSchema(z.object({ it: schema }), options) as Schema & { $defs?: Record<string, Schema> };
  // The names are zod's own keyword, which validators of JSON Schema refuse.
  const named = Object.entries($defs ?? {}).map(([name, { id: _id, ...found }]) => [name, found] as const);
  const defs: Record<string, Schema> = Object.fromEntries(named);
  const root = properties!["it"]!;
  const name = root.$ref?.replace(localReference, "");
  const whole: Schema = { type: "object", ...(name === undefined ? root : defs[name]) };
  // The root stands at the top; below it is wanted only where it refers to itself.
  const { [name ?? ""]: _root, ...others } = defs;
  const rest = JSON.stringify([whole, others]).includes(`"${root.$ref}"`) ? defs : others;
  return Object.keys(rest).length === 0 ? whole : { ...whole, $defs: rest };
}

function nameComponents(): void {
  for (const [name, schema] of modules.flatMap((module) => Object.entries(module))) nameComponent(name, schema);
}

function nameComponent(name: string, schema: unknown): void {
  if (!(schema instanceof z.ZodType) || !componentTypes.includes(schema.def.type)) return;
  const known = z.globalRegistry.get(schema);
  if (known?.id === undefined) z.globalRegistry.add(schema, { ...known, id: name });
}

/**
 * Takes out what only says again: the endless pattern beside `date-time`, the bounds of every safe integer. Defaults are written as
 * generators of typed clients read them: whole, and where they are no plain value in words.
 */
function plain({ jsonSchema, zodSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema; zodSchema: z.core.$ZodTypes }): void {
  if (jsonSchema.format !== undefined && formats.includes(jsonSchema.format)) delete jsonSchema.pattern;
  // zod's own words, such as starts_with, are no formats; the pattern beside them says the same.
  else delete jsonSchema.format;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (zodSchema._zod.def.type === "prefault") jsonSchema.default = z.parse(zodSchema, undefined) as typeof jsonSchema.default;
  if (Array.isArray(jsonSchema.default) && jsonSchema.default.length > 0) {
    const words = `Without it: \`${JSON.stringify(jsonSchema.default)}\``;
    jsonSchema.description = jsonSchema.description === undefined ? words : `${jsonSchema.description}. ${words}`;
    delete jsonSchema.default;
  }
  // An answer may gain fields: clients must not be told that it cannot. What is sent in strictly says so itself.
  if (zodSchema._zod.def.type === "object" && !isClosed(zodSchema._zod.def)) delete jsonSchema.additionalProperties;
}

function isClosed(def: object): boolean {
  return "catchall" in def && def.catchall instanceof z.ZodNever;
}

/** Names of the components that `part` refers to, by way of others too. */
function reachable(part: object, components: Record<string, Schema>, seen = new Set<string>()): Set<string> {
  for (const name of referencesOf(part)) {
    if (seen.has(name)) continue;
    seen.add(name);
    reachable(components[name]!, components, seen);
  }
  return seen;
}

const localReference = /^#\/(?:\$defs|components\/schemas)\//;

function mapReferences<T extends object>(part: T, rename: (name: string) => string): T {
  const text = JSON.stringify(part, (key, value: unknown) =>
    key === "$ref" && typeof value === "string" && localReference.test(value)
      ? `#/components/schemas/${rename(value.replace(localReference, ""))}`
      : value,
  );
  return JSON.parse(text) as T;
}

function referencesOf(part: object): string[] {
  const found: string[] = [];
  mapReferences(part, (name) => {
    found.push(name);
    return name;
  });
  return found;
}
