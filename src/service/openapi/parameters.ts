// Moves parameters that several operations share to components.
import { pascalCase, type Document, type Json } from "./json.ts";

/** Replaces repeated parameters in `paths` by references and returns the components they refer to. */
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
 * Candidate names, shortest first. The `{id}` of a path is named after its resource (`PlayerId`), `{delivery_id}` is `DeliveryId`,
 * `player_id` in a query is `PlayerIdFilter` and `limit` is `Limit`. If a name is taken, words of the path are prepended.
 */
function namesFor(path: string, parameter: Json): string[] {
  const own = pascalCase(String(parameter["name"]));
  const isInPath = parameter["in"] === "path";
  const before = isInPath ? path.split(`{${String(parameter["name"])}}`)[0]! : path;
  const words = before.split("/").filter((part) => !["", "api", "v1"].includes(part) && !part.startsWith("{"));
  const above = words.map((word) => pascalCase(singular(word)));
  const short = isInPath && own === "Id" ? above.pop()! + own : own.endsWith("Id") && !isInPath ? `${own}Filter` : own;
  return [short, ...above.toReversed().map((_, count) => above.slice(-1 - count).join("") + short)];
}

function singular(plural: string): string {
  return plural.endsWith("ies") ? `${plural.slice(0, -3)}y` : plural.replace(/s$/, "");
}
