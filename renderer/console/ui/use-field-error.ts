// The service's error of a field, until the person changes the field.
import { useState } from "react";

/**
 * The browser does not submit a form with an invalid field: a corrected one must not be called invalid any more.
 * @returns the error to show, and the function to call with each change of the field
 */
export function useFieldError<V>(
  error: string | undefined,
  onChange: ((value: V) => void) | undefined,
): [shown: string | undefined, change: (value: V) => void] {
  const [last, setLast] = useState(error);
  const [isChanged, setIsChanged] = useState(false);
  // Each attempt to submit takes the error away first, so that the same error is shown again.
  if (last !== error) {
    setLast(error);
    setIsChanged(false);
  }
  const change = (value: V): void => {
    setIsChanged(true);
    onChange?.(value);
  };
  return [isChanged ? undefined : error, change];
}
