// Triggers that notice every write of content, by whatever statement: versions need no reminder at each place that writes.
// They are the only statements here that PostgreSQL writes differently: there, one function and the same four tables.
import { migration } from "./statements.ts";

const columnsOf = {
  playlist: ["created_at", "name", "items"],
  layout: ["created_at", "name", "width", "height", "background_color", "background_asset_id", "transition", "zones"],
  schedule: ["created_at", "name", "layout_id", "target_type", "target_value", "timing"],
  calendar: ["created_at", "name", "dates"],
} as const;

export const contentTriggersMigration = migration(Object.keys(columnsOf).flatMap((kind) => triggersOf(kind as keyof typeof columnsOf)));

/** The first write of a row in a transaction stores the row as it was before; null: it did not exist, or was in the bin. */
function triggersOf(kind: keyof typeof columnsOf): string[] {
  const fields = columnsOf[kind].map((column) => `'${column}', OLD.${column}`).join(", ");
  const before = kind === "calendar" ? `json_object(${fields})` : `CASE WHEN OLD.deleted_at IS NULL THEN json_object(${fields}) END`;
  const trigger = (event: string, row: "OLD" | "NEW", image: string) =>
    `CREATE TRIGGER ${kind}s_after_${event.toLowerCase()} AFTER ${event} ON ${kind}s BEGIN
      INSERT INTO content_writes (kind, id, team_id, before) SELECT '${kind}', ${row}.id, ${row}.team_id, ${image}
        WHERE NOT EXISTS (SELECT 1 FROM content_writes WHERE kind = '${kind}' AND id = ${row}.id);
    END`;
  return [trigger("INSERT", "NEW", "NULL"), trigger("UPDATE", "OLD", before), trigger("DELETE", "OLD", before)];
}
