// Validates a value and describes each error in plain words: where it is, and which name or value was probably meant.
import type { z } from "zod";
import { closestName } from "../../base/closest-name.ts";

/** An error; `path` leads to it from the validated value. */
export interface InputError {
  path: readonly PropertyKey[];
  detail: string;
  /** For an unknown field: the path of the field that was probably meant. */
  meant?: readonly PropertyKey[];
}

/** The outcome of a validation. */
export type Validation<T> = { value: T } | { mistakes: InputError[] };

type Issue = z.core.$ZodIssue;
type Raw = z.core.$ZodRawIssue;
/** Maps the list of unknown keys in an object to the fields that the object has. */
type Fields = WeakMap<readonly string[], readonly string[]>;

const missing = "is missing";
const formats: Readonly<Record<string, string>> = {
  datetime: "must be a time in UTC such as 2026-11-22T12:00:00Z",
  date: "must be a date such as 2026-11-22",
  time: "must be a time of day such as 08:30",
  email: "must be an email address",
  url: "must be a URL such as https://example.com/page",
};

/** Validates a value against a schema. The schema's own messages are kept. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): Validation<T> {
  const fields: Fields = new WeakMap();
  const parsed = schema.safeParse(value, { error: (issue) => wordsOf(issue, fields), reportInput: true });
  if (parsed.success) return { value: parsed.data };
  return { mistakes: once(parsed.error.issues.flatMap((issue) => explain(issue, [], fields))) };
}

function explain(issue: Issue, above: readonly PropertyKey[], fields: Fields): InputError[] {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case "invalid_type":
      return [{ path, detail: issue.input === undefined ? missing : issue.message }];
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownField(path, key, fields.get(issue.keys) ?? []));
    case "invalid_union":
      return issue.errors.length === 0 ? [{ path, detail: issue.message }] : ofUnion(issue.errors, path, fields);
    case "invalid_key":
      return [{ path, detail: `its name ${issue.issues[0]?.message ?? "is not allowed here"}` }];
    case "invalid_value":
    case "invalid_format":
    case "invalid_element":
    case "not_multiple_of":
    case "too_small":
    case "too_big":
    case "custom":
      return [{ path, detail: issue.message }];
  }
}

/** The errors of a union: those of the option that was probably meant. */
function ofUnion(shapes: readonly (readonly Issue[])[], path: readonly PropertyKey[], fields: Fields): InputError[] {
  const ofKind = shapes.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isOtherKind(issue)));
  if (ofKind.length === 0) return [{ path, detail: otherKind(shapes.flat()) }];
  // An option whose discriminator differs (`type: "image"`) was not meant.
  const namings = ofKind.map((issues) => issues.find((issue) => issue.path.length === 1 && issue.code === "invalid_value"));
  const [naming] = namings;
  if (naming !== undefined && ofKind.length > 1 && namings.every((each) => each?.path[0] === naming.path[0])) {
    const values = namings.flatMap((each) => (each?.code === "invalid_value" ? each.values : []));
    return [{ path: [...path, ...naming.path], detail: oneOf(values, naming.input) }];
  }
  const named = ofKind.filter((_, place) => namings[place] === undefined);
  const told = (named.length === 0 ? ofKind : named).map((issues) => once(issues.flatMap((issue) => explain(issue, path, fields))));
  const least = Math.min(...told.map(({ length }) => length));
  const best = told.filter(({ length }) => length === least);
  if (best.length > 1 && best.every(([mistake]) => least === 1 && mistake!.detail === missing)) {
    const names = [...new Set(best.map(([mistake]) => String(mistake!.path.at(-1))))];
    return names.length === 1 ? best[0]! : [{ path, detail: `must have ${list(names)}` }];
  }
  return best[0]!;
}

/** Drops consequential errors: a field that is missing because its name is misspelt, and a second error for one field. */
function once(mistakes: readonly InputError[]): InputError[] {
  const misspelt = new Set(mistakes.flatMap(({ meant }) => (meant === undefined ? [] : [placeOf(meant)])));
  const seen = new Set<string>();
  return mistakes.filter(({ path, detail }) => {
    const place = placeOf(path);
    if (seen.has(place) || (detail.startsWith(missing) && misspelt.has(place))) return false;
    seen.add(place);
    return true;
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  return JSON.stringify(path.map(String));
}

function unknownField(object: readonly PropertyKey[], key: string, known: readonly string[]): InputError {
  const path = [...object, key];
  const name = closestName(key, known);
  if (name === undefined) return { path, detail: "unknown field" };
  return { path, detail: `unknown field: did you mean ${name}?`, meant: [...object, name] };
}

/** Whether the value has a different type than expected. */
function isOtherKind({ code }: Issue): boolean {
  return code === "invalid_type" || code === "invalid_value";
}

function otherKind(issues: readonly Issue[]): string {
  const wrong = issues.filter((issue) => issue.path.length === 0 && isOtherKind(issue));
  const input = wrong[0]?.input;
  if (wrong.every((issue) => issue.code === "invalid_value"))
    return oneOf(
      wrong.flatMap(({ values }) => values),
      input,
    );
  const kinds = wrong.flatMap((issue) =>
    issue.code === "invalid_type" ? [kindWords(issue.expected)] : issue.code === "invalid_value" ? issue.values.map(shown) : [],
  );
  const wanted = list([...new Set(kinds)]);
  return input === undefined ? missing : `must be ${wanted}${unlike(kinds, input)}`;
}

/** The message for an issue for which the schema has none of its own. */
function wordsOf(issue: Raw, fields: Fields): string {
  const { input } = issue;
  switch (issue.code) {
    case "invalid_type": {
      const kind = kindWords(issue.expected);
      return input === undefined ? missing : `must be ${kind}${unlike([kind], input)}`;
    }
    case "invalid_value":
      return oneOf(issue.values, input);
    case "too_small":
      return bound(issue.origin, "at least", issue.minimum, issue.inclusive !== false);
    case "too_big":
      return bound(issue.origin, "at most", issue.maximum, issue.inclusive !== false);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return formatWords(issue);
    case "unrecognized_keys":
      fields.set(issue.keys, Object.keys((issue.inst?._zod.def as { shape?: object } | undefined)?.shape ?? {}));
      return "has an unknown field";
    case "invalid_union": {
      const { discriminator, options } = issue as { discriminator?: string; options?: readonly unknown[] };
      if (discriminator === undefined) return "matches none of the allowed forms";
      return oneOf(options ?? [], (input as Record<string, unknown>)[discriminator]);
    }
    case "custom":
    case "invalid_element":
    case "invalid_key":
      return "is not allowed here";
  }
}

function kindWords(kind: string): string {
  switch (kind) {
    case "string":
      return "a string";
    case "number":
      return "a number";
    case "int":
      return "a whole number";
    case "boolean":
      return "true or false";
    case "array":
    case "tuple":
      return "a list";
    case "object":
    case "record":
      return "an object";
    default:
      return kind;
  }
}

/** Says what the value is instead, if that helps. */
function unlike(wanted: readonly string[], input: unknown): string {
  if (typeof input === "number") return wanted.some((kind) => /number/.test(kind)) ? "" : ", not a number";
  if (input === null) return ", not null";
  if (Array.isArray(input)) return ", not a list";
  const kind = typeof input === "string" ? "a string" : typeof input === "boolean" ? String(input) : "an object";
  return `, not ${kind}`;
}

/** The message for a value that must be one of several; suggests the nearest. */
function oneOf(values: readonly unknown[], input: unknown): string {
  const all = [...new Set(values)];
  const wanted = all.length === 1 ? shown(all[0]) : `one of ${all.map(shown).join(", ")}`;
  if (input === undefined) return `${missing}: ${wanted}`;
  const near =
    typeof input === "string"
      ? closestName(
          input,
          all.filter((value) => typeof value === "string"),
        )
      : undefined;
  return near === undefined || all.length === 1 ? `must be ${wanted}` : `must be ${wanted}: did you mean ${shown(near)}?`;
}

function bound(origin: string, side: "at least" | "at most", limit: number | bigint, isIncluded: boolean): string {
  if (origin === "string") {
    if (side === "at least" && Number(limit) === 1) return "must not be empty";
    return `must have ${side} ${limit} ${Number(limit) === 1 ? "character" : "characters"}`;
  }
  if (origin === "array" || origin === "set") return `must have ${side} ${limit} ${Number(limit) === 1 ? "entry" : "entries"}`;
  if (isIncluded) return `must be ${side} ${limit}`;
  return `must be ${side === "at least" ? "more" : "less"} than ${limit}`;
}

function formatWords({ format, ...more }: Raw & { code: "invalid_format" }): string {
  const part = (name: string) => shown((more as Record<string, unknown>)[name]);
  if (format === "starts_with") return `must begin with ${part("prefix")}`;
  if (format === "ends_with") return `must end with ${part("suffix")}`;
  if (format === "includes") return `must contain ${part("includes")}`;
  if (format === "regex") return `must match ${String((more as { pattern?: unknown }).pattern)}`;
  return formats[format] ?? `must be a valid ${format}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

/** `a, b or c`. */
function list(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
