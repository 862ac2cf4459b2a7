// Validates a value and describes each error in plain words: where it is, and which name or value was probably meant.
import type { z } from "zod";
import { closestName } from "../../base/closest-name.ts";

/** An error; `path` leads to it from the validated value. */
export interface InputError {
  path: readonly PropertyKey[];
  detail: string;
  /** For an unknown field: the path of the field that was probably meant. */
  suggestion?: readonly PropertyKey[];
}

/** The outcome of a validation. */
export type Validation<T> = { value: T } | { errors: InputError[] };

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
  const parsed = schema.safeParse(value, { error: (issue) => messageOf(issue, fields), reportInput: true });
  if (parsed.success) return { value: parsed.data };
  return { errors: withoutDuplicates(parsed.error.issues.flatMap((issue) => explain(issue, [], fields))) };
}

function explain(issue: Issue, above: readonly PropertyKey[], fields: Fields): InputError[] {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case "invalid_type":
      return [{ path, detail: issue.input === undefined ? missing : issue.message }];
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownField(path, key, fields.get(issue.keys) ?? []));
    case "invalid_union":
      return issue.errors.length === 0 ? [{ path, detail: issue.message }] : unionErrors(issue.errors, path, fields);
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
function unionErrors(options: readonly (readonly Issue[])[], path: readonly PropertyKey[], fields: Fields): InputError[] {
  const matchingType = options.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isTypeMismatch(issue)));
  if (matchingType.length === 0) return [{ path, detail: typeMismatch(options.flat()) }];
  // An option whose discriminator differs (`type: "image"`) was not meant.
  const discriminatorErrors = matchingType.map((issues) =>
    issues.find((issue) => issue.path.length === 1 && issue.code === "invalid_value"),
  );
  const [firstError] = discriminatorErrors;
  if (firstError !== undefined && matchingType.length > 1 && discriminatorErrors.every((each) => each?.path[0] === firstError.path[0])) {
    const values = discriminatorErrors.flatMap((each) => (each?.code === "invalid_value" ? each.values : []));
    return [{ path: [...path, ...firstError.path], detail: oneOf(values, firstError.input) }];
  }
  const matchingDiscriminator = matchingType.filter((_, place) => discriminatorErrors[place] === undefined);
  const errorsByOption = (matchingDiscriminator.length === 0 ? matchingType : matchingDiscriminator).map((issues) =>
    withoutDuplicates(issues.flatMap((issue) => explain(issue, path, fields))),
  );
  const minCount = Math.min(...errorsByOption.map(({ length }) => length));
  const fewest = errorsByOption.filter(({ length }) => length === minCount);
  if (fewest.length > 1 && fewest.every(([error]) => minCount === 1 && error!.detail === missing)) {
    const names = [...new Set(fewest.map(([error]) => String(error!.path.at(-1))))];
    return names.length === 1 ? fewest[0]! : [{ path, detail: `must have ${list(names)}` }];
  }
  return fewest[0]!;
}

/** Drops consequential errors: a field that is missing because its name is misspelt, and a second error for one field. */
function withoutDuplicates(errors: readonly InputError[]): InputError[] {
  const misspelt = new Set(errors.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [placeOf(suggestion)])));
  const seen = new Set<string>();
  return errors.filter(({ path, detail }) => {
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
  return { path, detail: `unknown field: did you mean ${name}?`, suggestion: [...object, name] };
}

/** Whether the value has a different type than expected. */
function isTypeMismatch({ code }: Issue): boolean {
  return code === "invalid_type" || code === "invalid_value";
}

function typeMismatch(issues: readonly Issue[]): string {
  const wrong = issues.filter((issue) => issue.path.length === 0 && isTypeMismatch(issue));
  const input = wrong[0]?.input;
  if (wrong.every((issue) => issue.code === "invalid_value"))
    return oneOf(
      wrong.flatMap(({ values }) => values),
      input,
    );
  const kinds = wrong.flatMap((issue) =>
    issue.code === "invalid_type" ? [typeName(issue.expected)] : issue.code === "invalid_value" ? issue.values.map(quoted) : [],
  );
  const expected = list([...new Set(kinds)]);
  return input === undefined ? missing : `must be ${expected}${insteadOf(kinds, input)}`;
}

/** The message for an issue for which the schema has none of its own. */
function messageOf(issue: Raw, fields: Fields): string {
  const { input } = issue;
  switch (issue.code) {
    case "invalid_type": {
      const kind = typeName(issue.expected);
      return input === undefined ? missing : `must be ${kind}${insteadOf([kind], input)}`;
    }
    case "invalid_value":
      return oneOf(issue.values, input);
    case "too_small":
      return limitMessage(issue.origin, "at least", issue.minimum, issue.inclusive !== false);
    case "too_big":
      return limitMessage(issue.origin, "at most", issue.maximum, issue.inclusive !== false);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      return formatMessage(issue);
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

function typeName(kind: string): string {
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

/** Names the kind of the value, if that helps. */
function insteadOf(expected: readonly string[], input: unknown): string {
  if (typeof input === "number") return expected.some((kind) => /number/.test(kind)) ? "" : ", not a number";
  if (input === null) return ", not null";
  if (Array.isArray(input)) return ", not a list";
  const kind = typeof input === "string" ? "a string" : typeof input === "boolean" ? String(input) : "an object";
  return `, not ${kind}`;
}

/** The message for a value that must be one of several; suggests the nearest. */
function oneOf(values: readonly unknown[], input: unknown): string {
  const all = [...new Set(values)];
  const expected = all.length === 1 ? quoted(all[0]) : `one of ${all.map(quoted).join(", ")}`;
  if (input === undefined) return `${missing}: ${expected}`;
  const near =
    typeof input === "string"
      ? closestName(
          input,
          all.filter((value) => typeof value === "string"),
        )
      : undefined;
  return near === undefined || all.length === 1 ? `must be ${expected}` : `must be ${expected}: did you mean ${quoted(near)}?`;
}

function limitMessage(origin: string, side: "at least" | "at most", limit: number | bigint, isIncluded: boolean): string {
  if (origin === "string") {
    if (side === "at least" && Number(limit) === 1) return "must not be empty";
    return `must have ${side} ${limit} ${Number(limit) === 1 ? "character" : "characters"}`;
  }
  if (origin === "array" || origin === "set") return `must have ${side} ${limit} ${Number(limit) === 1 ? "entry" : "entries"}`;
  if (isIncluded) return `must be ${side} ${limit}`;
  return `must be ${side === "at least" ? "more" : "less"} than ${limit}`;
}

function formatMessage({ format, ...more }: Raw & { code: "invalid_format" }): string {
  const part = (name: string) => quoted((more as Record<string, unknown>)[name]);
  if (format === "starts_with") return `must begin with ${part("prefix")}`;
  if (format === "ends_with") return `must end with ${part("suffix")}`;
  if (format === "includes") return `must contain ${part("includes")}`;
  if (format === "regex") return `must match ${String((more as { pattern?: unknown }).pattern)}`;
  return formats[format] ?? `must be a valid ${format}`;
}

function quoted(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

/** `a, b or c`. */
function list(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
