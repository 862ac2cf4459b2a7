// The properties of every control of a setting.
export interface FieldProps {
  /** Its name for a person. */
  label: string;
  /** Undefined: it has none, or several items differ. */
  value: unknown;
  isMixed: boolean;
  error: string | undefined;
  isDisabled: boolean;
  /** @param isTyping the person goes on, and {@link onDone} follows */
  onChange: (value: unknown, isTyping?: boolean) => void;
  onDone: () => void;
}
