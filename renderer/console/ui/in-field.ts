/** Tells whether a person is in a field: a focus that comes late must not take the next letters elsewhere. */
export function isInField(): boolean {
  return document.activeElement?.matches("input, textarea") ?? false;
}
