// Triggers that notice every write of content, by whatever statement: versions need no reminder at each place that writes.
import { migration, type Statement } from "./statements.ts";

const columnsOf = {
  playlist: ["created_at", "name", "items"],
  layout: ["created_at", "name", "width", "height", "background_color", "background_asset_id", "transition", "zones"],
  schedule: ["created_at", "name", "layout_id", "target_type", "target_value", "timing"],
  calendar: ["created_at", "name", "dates"],
} as const;
const kinds = Object.keys(columnsOf) as (keyof typeof columnsOf)[];

/**
 * PostgreSQL: one function for the four tables. The table that it writes is a temporary one of the connection
 * ({@link ../postgres/pools.ts}): only the open transaction reads it, and in a table of all connections every two transactions would
 * conflict there. A connection without that table is not the service's; its writes become no version.
 */
const noteWrites = `CREATE FUNCTION note_content_write() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    written record;
    before text;
  BEGIN
    IF to_regclass('pg_temp.content_writes') IS NULL THEN RETURN NULL; END IF;
    IF TG_OP = 'INSERT' THEN
      written := NEW;
    ELSE
      written := OLD;
      IF to_jsonb(OLD) ->> 'deleted_at' IS NULL THEN before := to_jsonb(OLD)::text; END IF;
    END IF;
    INSERT INTO content_writes (kind, id, team_id, before) VALUES (TG_ARGV[0], written.id, written.team_id, before)
      ON CONFLICT (kind, id) DO NOTHING;
    RETURN NULL;
  END $$`;

export const contentTriggersMigration = migration([
  { sqlite: [], postgres: [noteWrites] },
  ...kinds.map((kind): Statement => {
    const called = `EXECUTE FUNCTION note_content_write('${kind}')`;
    const trigger = `CREATE TRIGGER ${kind}s_written AFTER INSERT OR UPDATE OR DELETE ON ${kind}s FOR EACH ROW ${called}`;
    return { sqlite: triggersOf(kind), postgres: [trigger] };
  }),
]);

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
