// The plain words for faults in a value: the values that are allowed, and the name that was probably meant.
import type { z } from "zod";
import { closestName } from "../../../base/closest-name.ts";

type Raw = z.core.$ZodRawIssue;
/** Maps the list of unknown keys in an object to the fields that the object has. */
export type Fields = WeakMap<readonly string[], readonly string[]>;

export const missing = "is missing";
export const notAllowed = "is not allowed here";
const formats: Readonly<Record<string, string>> = {
  datetime: "must be a time in UTC such as 2026-11-22T12:00:00Z",
  date: "must be a date such as 2026-11-22",
  time: "must be a time of day such as 08:30",
  email: "must be an email address",
  url: "must be a URL such as https://example.com/page",
};

/** The message for an issue for which the schema has none of its own. */
export function messageOf(issue: Raw, fields: Fields): string {
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
      return notAllowed;
  }
}

export function typeName(kind: string): string {
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
export function insteadOf(expected: readonly string[], input: unknown): string {
  if (typeof input === "number") return expected.some((kind) => /number/.test(kind)) ? "" : ", not a number";
  if (input === null) return ", not null";
  if (Array.isArray(input)) return ", not a list";
  const kind = typeof input === "string" ? "a string" : typeof input === "boolean" ? String(input) : "an object";
  return `, not ${kind}`;
}

/** The message for a value that must be one of several; suggests the nearest. */
export function oneOf(values: readonly unknown[], input: unknown): string {
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

export function quoted(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

/** `a, b or c`. */
export function list(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
