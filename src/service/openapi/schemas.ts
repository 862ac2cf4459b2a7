// Converts the protocol's zod schemas to JSON Schema. A schema with an id becomes a component of that name.
import { z } from "zod";
import type { Schema } from "./json.ts";

// Formats of JSON Schema that make zod's pattern redundant.
const formats = ["date-time", "date", "time", "email", "uri", "uuid", "ipv4", "ipv6"];

type Direction = "input" | "output";
const directions: readonly Direction[] = ["input", "output"];

/** Collects the components that a document's schemas refer to. */
export class Schemas {
  readonly #found: Record<Direction, Map<string, Schema>> = { input: new Map(), output: new Map() };

  /** The schema of an input or output. {@link resolve} resolves its references later. */
  of(schema: z.ZodType, direction: Direction): Schema {
    // Wrapped in an object, since zod inlines the root schema even if it has a name.
    const whole = z.toJSONSchema(z.object({ it: schema }), { io: direction, unrepresentable: "any", override: plain }) as Schema;
    const point = (part: Schema) => mapReferences(part, (name) => `${direction}:${name}`);
    for (const [name, { id: _id, ...found }] of Object.entries((whole["$defs"] ?? {}) as Record<string, Schema>)) {
      this.#found[direction].set(name, point(found));
    }
    return point(whole.properties!["it"]!);
  }

  /** Like {@link of}, but never a reference: for parameters, which are described one by one. */
  fieldsOf(schema: z.ZodType, direction: Direction): Schema {
    const found = this.of(schema, direction);
    return found.$ref === undefined ? found : this.#found[direction].get(found.$ref.slice(found.$ref.indexOf(":") + 1))!;
  }

  /** Resolves the references in a document's part and returns all components. A schema that differs by direction becomes two. */
  resolve<T extends object>(part: T): { part: T; components: Record<string, Schema> } {
    const { input, output } = this.#found;
    const differing = this.#differing();
    const nameOf = (key: string): string => {
      const name = key.slice(key.indexOf(":") + 1);
      return key.startsWith("input:") && differing.has(name) ? `${name}Input` : name;
    };
    const settled = <P extends object>(given: P): P => mapReferences(given, nameOf);
    const all = directions.flatMap((direction) =>
      [...this.#found[direction]].map(([name, schema]) => [nameOf(`${direction}:${name}`), settled(schema)] as const),
    );
    for (const name of differing) {
      if (input.has(`${name}Input`) || output.has(`${name}Input`)) throw new TypeError(`the component name ${name}Input is already used`);
    }
    const components = Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const whole = settled(part);
    const used = reachable(whole, components);
    return { part: whole, components: Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name))) };
  }

  /** Components whose input and output schemas differ, or that refer to such a component. */
  #differing(): Set<string> {
    const { input, output } = this.#found;
    const both = [...input.keys()].filter((name) => output.has(name));
    const textOf = (schema: Schema) => JSON.stringify(mapReferences(schema, (key) => key.slice(key.indexOf(":") + 1)));
    const differing = new Set(both.filter((name) => textOf(input.get(name)!) !== textOf(output.get(name)!)));
    for (let before = -1; before !== differing.size;) {
      before = differing.size;
      for (const name of both) if (referencesOf(input.get(name)!).some((key) => differing.has(key.slice(6)))) differing.add(name);
    }
    return differing;
  }
}

/** A self-contained schema of an object, with named schemas in its own `$defs`. */
export function wholeSchema(schema: z.ZodType, direction: Direction): Schema {
  // Output schemas are for programs, so repeated parts become references.
  const reused = direction === "output" ? "ref" : "inline";
  const options = { io: direction, unrepresentable: "any", override: plain, reused } as const;
  // Wrapped in an object, since a named root would be only a reference.
  const { properties, $defs } = z.toJSONSchema(z.object({ it: schema }), options) as Schema & { $defs?: Record<string, Schema> };
  // Remove the `id` keyword that zod adds: JSON Schema validators reject it.
  const named = Object.entries($defs ?? {}).map(([name, { id: _id, ...found }]) => [name, found] as const);
  const defs: Record<string, Schema> = Object.fromEntries(named);
  const root = properties!["it"]!;
  const name = root.$ref?.replace(localReference, "");
  const whole: Schema = { type: "object", ...(name === undefined ? root : defs[name]) };
  // Keep the root in $defs only if it refers to itself.
  const { [name ?? ""]: _root, ...others } = defs;
  const rest = JSON.stringify([whole, others]).includes(`"${root.$ref}"`) ? defs : others;
  return Object.keys(rest).length === 0 ? whole : { ...whole, $defs: rest };
}

/**
 * Removes redundant keywords: the long pattern next to `date-time`, the bounds of safe integers. Writes defaults in the way that
 * client generators understand: complete, or in the description if they are lists.
 */
function plain({ jsonSchema, zodSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema; zodSchema: z.core.$ZodTypes }): void {
  if (jsonSchema.format !== undefined && formats.includes(jsonSchema.format)) delete jsonSchema.pattern;
  // Formats of zod such as starts_with do not exist in JSON Schema; the pattern next to them says the same.
  else delete jsonSchema.format;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (zodSchema._zod.def.type === "prefault") jsonSchema.default = z.parse(zodSchema, undefined) as typeof jsonSchema.default;
  if (Array.isArray(jsonSchema.default) && jsonSchema.default.length > 0) {
    const words = `Without it: \`${JSON.stringify(jsonSchema.default)}\``;
    jsonSchema.description = jsonSchema.description === undefined ? words : `${jsonSchema.description}. ${words}`;
    delete jsonSchema.default;
  }
  // Responses may gain fields, so their objects stay open. Strict input objects stay closed.
  if (zodSchema._zod.def.type === "object" && !isClosed(zodSchema._zod.def)) delete jsonSchema.additionalProperties;
}

function isClosed(def: object): boolean {
  return "catchall" in def && def.catchall instanceof z.ZodNever;
}

/** The names of the components that `part` refers to, directly or indirectly. */
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
