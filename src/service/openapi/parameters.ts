// Parameters that several operations take alike become components, so that the document says them once.
import { pascal, type Document, type Json } from "./json.ts";

/** Puts references in place of the parameters that stand more than once in `paths`, and gives back what they refer to. */
export function shareParameters(paths: Document["paths"]): Record<string, Json> {
  const counts = new Map<string, number>();
  for (const { text } of each(paths)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const shared = new Map<string, Json>();
  const names = new Map<string, string>();
  for (const { path, list, place, parameter, text } of each(paths)) {
    if (counts.get(text)! < 2) continue;
    const name = names.get(text) ?? namesFor(path, parameter).find((free) => !shared.has(free));
    if (name === undefined) throw new TypeError(`no name is left for the parameter ${String(parameter["name"])} of ${path}`);
    shared.set(name, parameter);
    names.set(text, name);
    list[place] = { $ref: `#/components/parameters/${name}` };
  }
  return Object.fromEntries([...shared].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function each(paths: Document["paths"]) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters: list = [] }) =>
      list.map((parameter, place) => ({ path, list, place, parameter, text: JSON.stringify(parameter) })),
    ),
  );
}

/**
 * Names from the shortest on. A path's `{id}` is named after what it is the id of, `PlayerId`, and `{delivery_id}` is `DeliveryId`; a
 * query's `player_id` is a `PlayerIdFilter`, its `limit` the `Limit`. Where that is taken, the path stands before it.
 */
function namesFor(path: string, parameter: Json): string[] {
  const own = pascal(String(parameter["name"]));
  const isInPath = parameter["in"] === "path";
  const before = isInPath ? path.split(`{${String(parameter["name"])}}`)[0]! : path;
  const words = before.split("/").filter((part) => !["", "api", "v1"].includes(part) && !part.startsWith("{"));
  const above = words.map((word) => pascal(singular(word)));
  const short = isInPath && own === "Id" ? above.pop()! + own : own.endsWith("Id") && !isInPath ? `${own}Filter` : own;
  return [short, ...above.toReversed().map((_, count) => above.slice(-1 - count).join("") + short)];
}

function singular(plural: string): string {
  return plural.endsWith("ies") ? `${plural.slice(0, -3)}y` : plural.replace(/s$/, "");
}
