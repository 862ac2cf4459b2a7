// The properties of each part of the form of a schedule.
import type { Values } from "../model/form.ts";

export interface FieldsProps {
  values: Values;
  /** The errors, by the names of the API's fields. */
  errors: Readonly<Record<string, string>>;
  onChange: (values: Values) => void;
}
