// What the service says is wrong with a field, until the person changes it.
import { useState } from "react";

/**
 * The browser does not submit a form with an invalid field: a corrected one must not be called invalid any more.
 * @returns the error to show, and a function to call when the field was changed
 */
export function useFieldError(error: string | undefined): [shown: string | undefined, changed: () => void] {
  const [last, setLast] = useState(error);
  const [isChanged, setIsChanged] = useState(false);
  // Each attempt to submit takes the error away first, so that the same error is shown again.
  if (last !== error) {
    setLast(error);
    setIsChanged(false);
  }
  return [isChanged ? undefined : error, () => setIsChanged(true)];
}
