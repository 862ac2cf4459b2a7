// The text of a record that is to be stored: proven to be readable by its own schema before it is written.
import { Fault, reasonOf } from "../fault.ts";

/** Turns stored JSON into its value, such as a zod schema's `parse`. @throws an error that says why it is not valid. */
export type ParseRecord<T> = (json: unknown) => T;

/**
 * The JSON of a record. Everything that the program stores and reads again is written by this function, so that a fault of the program
 * is found when the record is made, and not when it is needed.
 * @param name names the record in the fault, such as its file.
 * @throws Fault `record-unreadable`, which names the first invalid field. Nothing may be written then.
 */
export function recordText<T>(record: T, parse: ParseRecord<unknown>, name: string): string {
  const text = JSON.stringify(record);
  try {
    parse(JSON.parse(text));
  } catch (error) {
    throw new Fault("record-unreadable", `${name}: ${invalidField(error)}`, { cause: error });
  }
  return text;
}

/** Of a zod error, which base does not import, the first issue. */
function invalidField(error: unknown): string {
  const issues = error instanceof Error && "issues" in error && Array.isArray(error.issues) ? (error.issues as unknown[]) : [];
  const [first] = issues;
  if (typeof first !== "object" || first === null || !("path" in first) || !("message" in first)) return reasonOf(error);
  return `${Array.isArray(first.path) ? first.path.map(String).join(".") : ""}: ${String(first.message)}`;
}
