// Ids in place of those that the service gives with the first saving: a preview shows things before that.

/** The id itself, or for another key an id of the same form that no stored thing has. */
export function previewId(prefix: "itm" | "zon", key: string): string {
  if (key.startsWith(`${prefix}_`)) return key;
  return `${prefix}_${key
    .replaceAll(/[^0-9]/g, "")
    .slice(-26)
    .padStart(26, "0")}`;
}
