// The settings of items: how each is edited.
import type { Schemas } from "../../../sdk/typescript/client.ts";
import type { ItemOf, Kind } from "./item.ts";

/** The kind of a file. */
export type AssetKind = NonNullable<Schemas["Asset"]["kind"]>;

/** How a field is edited. Numbers are those of the API, but times, which are shown in seconds or minutes. */
export type FieldType =
  | { is: "text"; most: number; lines?: true }
  | { is: "address" }
  | { is: "choice"; options: readonly string[] }
  | { is: "switch" }
  | { is: "number"; min: number; max: number; step?: number; unit?: "px" | "px/s" | "modules" | "pages" }
  | { is: "time"; min: number; max: number; unit: "s" | "min" }
  /** A factor that is shown in percent. */
  | { is: "share"; min: number; max: number }
  | { is: "color" }
  | { is: "asset"; kinds: readonly AssetKind[] }
  | { is: "time-zone" }
  | { is: "language" }
  | { is: "addresses"; most: number }
  | { is: "headers" }
  | { is: "sign-in" }
  | { is: "date-parts" };

/** `content`: the thing that the item shows. `look`: how. `more`: settings that few people need. */
export type FieldPart = "content" | "look" | "more";

export type Field<N extends string = string> = FieldType & {
  name: N;
  part: FieldPart;
  /** It can be left out; the service then decides. */
  isOptional?: true;
};

/** The settings of a kind of item: all of its own fields. */
export type FieldsOf<K extends Kind> = readonly Field<FieldName<K>>[];
type FieldName<K extends Kind> = K extends Kind ? Exclude<keyof ItemOf<K>, CommonField | "type"> & string : never;

/** The fields that every item has; see `rules-form.tsx`. */
export type CommonField =
  | "id"
  | "duration_ms"
  | "valid_from"
  | "valid_until"
  | "dayparts"
  | "conditions"
  | "max_plays_per_hour"
  | "max_plays_per_day"
  | "transition";
