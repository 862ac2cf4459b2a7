// What each part of the form of a schedule gets.
import type { Values } from "../model/form.ts";

export interface FieldsProps {
  values: Values;
  /** What is wrong, by the names of the API's fields. */
  errors: Readonly<Record<string, string>>;
  onChange: (values: Values) => void;
}
