// The value of an item's field in few words, so that a change of it can be read.
import { formatDateTime, formatList } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Asset } from "../../../data/assets.ts";
import type { Field } from "../../../items/fields.ts";
import { fieldsOf } from "../../../items/item-kinds.ts";
import type { Condition } from "../../schedules/model/conditions.ts";
import type { FieldChange, StoredItem } from "../model/playlist-changes.ts";
import { conditionInWords } from "./condition-words.ts";
import type { NameOf } from "./names.ts";

const text = texts("changes");
const words = texts("playlistEditor");
const longest = 80;

/** Such as `Plays for: 10 s → 15 s`. @param assetOf null: it is gone; undefined: not read yet @param nameOf of calendars */
export function fieldText(
  item: StoredItem,
  { name, before, after }: FieldChange,
  assetOf: (id: string) => Asset | null | undefined,
  nameOf: NameOf,
): string {
  const field = fieldsOf(item.type).find((each) => each.name === name);
  const label = words.has(name) ? words(name) : name;
  const [was, is] = [before, after].map((value) => valueText(name, value, field, assetOf, nameOf));
  if (was == null || is == null) return text("fieldOnly", { name: label });
  return text("fieldChange", { name: label, before: was, after: is });
}

function valueText(
  name: string,
  value: unknown,
  field: Field | undefined,
  assetOf: (id: string) => Asset | null | undefined,
  nameOf: NameOf,
): string | null {
  if (value === undefined || value === null || value === "") return text("none");
  if (typeof value === "boolean") return text(value ? "on" : "off");
  if (typeof value === "number") {
    if (name.endsWith("_ms")) return text("seconds", { seconds: value / 1_000 });
    return field?.is === "share" ? `${Math.round(value * 100)} %` : String(value);
  }
  if (name === "conditions") return formatList((value as Condition[]).map((each) => conditionInWords(each, nameOf)));
  if (typeof value !== "string") return null;
  if (field?.is === "choice" && words.has(value)) return words(value);
  if (field?.is === "asset") return assetOf(value)?.name ?? text("gone");
  if (name === "valid_from" || name === "valid_until") return formatDateTime(new Date(value));
  const line = value.replaceAll(/\s+/g, " ");
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}
