// The notes below a field: its explanation and its error.
import { FieldError, Text } from "react-aria-components";

export interface FieldNotesProps {
  description?: string | undefined;
  /** The error of the field; undefined: none. */
  error?: string | undefined;
}

/** Only inside a field of React Aria, which connects both with its input. */
export function FieldNotes({ description, error }: FieldNotesProps) {
  return (
    <>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}
