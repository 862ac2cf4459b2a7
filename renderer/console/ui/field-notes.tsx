// What stands below a field: its explanation, and what is wrong with it.
import { FieldError, Text } from "react-aria-components";

export interface FieldNotesProps {
  description?: string | undefined;
  /** What is wrong; undefined: nothing. */
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
