// Validates a value and describes each error in plain words: where it is, and which name or value was probably meant.
import type { z } from "zod";
import { closestName } from "../../../base/closest-name.ts";
import { mostErrors } from "../../../protocol/refusal.ts";
import { insteadOf, list, messageOf, missing, notAllowed, oneOf, quoted, typeName, type Fields } from "./messages.ts";

/** An error; `path` leads to it from the validated value. */
export interface InputError {
  path: readonly PropertyKey[];
  detail: string;
  /** For an unknown field: the path of the field that was probably meant. */
  suggestion?: readonly PropertyKey[];
}

/** The outcome of a validation: the value, or the first errors and how many more there are. */
export type Validation<T> = { value: T } | Errors;

interface Errors {
  errors: InputError[];
  moreErrors: number;
}

type Issue = z.core.$ZodIssue;
type Raw = z.core.$ZodRawIssue;

// The library makes a message for each error, also for those that no answer lists.
const mostMessages = 1_000;

/** Validates a value against a schema. The schema's own messages are kept. */
export function validate<T>(schema: z.ZodType<T>, value: unknown): Validation<T> {
  const fields: Fields = new WeakMap();
  let messages = 0;
  const error = (issue: Raw) => ((messages += 1) > mostMessages ? notAllowed : messageOf(issue, fields));
  const parsed = schema.safeParse(value, { error, reportInput: true });
  return parsed.success ? { value: parsed.data } : explainAll(parsed.error.issues, [], fields);
}

/** The first errors of several issues, each place once, and how many more there are. */
function explainAll(issues: readonly Issue[], above: readonly PropertyKey[], fields: Fields): Errors {
  const shown = issues.slice(0, mostErrors);
  let moreErrors = issues.slice(mostErrors).reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
  const found = shown.flatMap((issue) => {
    const explained = explain(issue, above, fields);
    moreErrors += explained.moreErrors;
    return explained.errors;
  });
  const all = withoutDuplicates(found);
  const errors = all.slice(0, mostErrors);
  return { errors, moreErrors: moreErrors + all.length - errors.length };
}

function explain(issue: Issue, above: readonly PropertyKey[], fields: Fields): Errors {
  const path = [...above, ...issue.path];
  const one = (detail: string): Errors => ({ errors: [{ path, detail }], moreErrors: 0 });
  switch (issue.code) {
    case "invalid_type":
      return one(issue.input === undefined ? missing : issue.message);
    case "unrecognized_keys": {
      const keys = issue.keys.slice(0, mostErrors);
      const errors = keys.map((key) => unknownField(path, key, fields.get(issue.keys) ?? []));
      return { errors, moreErrors: issue.keys.length - keys.length };
    }
    case "invalid_union":
      return issue.errors.length === 0 ? one(issue.message) : unionErrors(issue.errors, path, fields);
    case "invalid_key":
      return one(`its name ${issue.issues[0]?.message ?? notAllowed}`);
    case "invalid_value":
    case "invalid_format":
    case "invalid_element":
    case "not_multiple_of":
    case "too_small":
    case "too_big":
    case "custom":
      return one(issue.message);
  }
}

/** The errors of a union: those of the option that was probably meant. */
function unionErrors(options: readonly (readonly Issue[])[], path: readonly PropertyKey[], fields: Fields): Errors {
  const one = (place: readonly PropertyKey[], detail: string): Errors => ({ errors: [{ path: place, detail }], moreErrors: 0 });
  const matchingType = options.filter((issues) => !issues.some((issue) => issue.path.length === 0 && isTypeMismatch(issue)));
  if (matchingType.length === 0) return one(path, typeMismatch(options.flat()));
  // An option whose discriminator differs (`type: "image"`) was not meant.
  const discriminatorErrors = matchingType.map((issues) =>
    issues.find((issue) => issue.path.length === 1 && issue.code === "invalid_value"),
  );
  const [firstError] = discriminatorErrors;
  if (firstError !== undefined && matchingType.length > 1 && discriminatorErrors.every((each) => each?.path[0] === firstError.path[0])) {
    const values = discriminatorErrors.flatMap((each) => (each?.code === "invalid_value" ? each.values : []));
    return one([...path, ...firstError.path], oneOf(values, firstError.input));
  }
  const matchingDiscriminator = matchingType.filter((_, place) => discriminatorErrors[place] === undefined);
  const byOption = (matchingDiscriminator.length === 0 ? matchingType : matchingDiscriminator).map((issues) =>
    explainAll(issues, path, fields),
  );
  const countOf = ({ errors, moreErrors }: Errors): number => errors.length + moreErrors;
  const minCount = Math.min(...byOption.map(countOf));
  const fewest = byOption.filter((each) => countOf(each) === minCount);
  if (fewest.length > 1 && fewest.every(({ errors: [error] }) => minCount === 1 && error!.detail === missing)) {
    const names = [...new Set(fewest.map(({ errors: [error] }) => String(error!.path.at(-1))))];
    return names.length === 1 ? fewest[0]! : one(path, `must have ${list(names)}`);
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

/** True if the value has a different type than expected. */
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
