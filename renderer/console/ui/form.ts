// The state of a form that submits an act: the error of each field, any other error, and submitting once.
import type { FormEvent } from "react";
import { fieldErrorsOf } from "./problem-message.tsx";

/** A mutation, as far as forms know it. */
interface Act {
  isPending: boolean;
  error: unknown;
}

export interface FormState<Field extends string> {
  isPending: boolean;
  /** The error of each field. */
  errors: Readonly<Partial<Record<Field, string>>>;
  /** An error that no field of the form shows; null: none. */
  problem: unknown;
  onSubmit: (event: FormEvent) => void;
}

/** @param fields the names, in the API, of the fields that show their own errors. Whatever else is wrong becomes the `problem`. */
export function formOf<Field extends string>(act: Act, fields: readonly Field[], submit: () => void): FormState<Field> {
  const errors = fieldErrorsOf(act.error);
  const names = Object.keys(errors);
  const isShown = names.length > 0 && names.every((name) => (fields as readonly string[]).includes(name));
  return {
    isPending: act.isPending,
    errors: errors as Partial<Record<Field, string>>,
    problem: isShown ? null : act.error,
    onSubmit: (event) => {
      event.preventDefault();
      // A dialog may be opened from within another form, which is not meant.
      event.stopPropagation();
      // The button is inert meanwhile, but Enter in a field submits as well.
      if (!act.isPending) submit();
    },
  };
}
