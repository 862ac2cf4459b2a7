// Webhooks and their deliveries in the database.
import type { DeliveryRow, EventTables } from "../../store/tables/events.ts";
import type { Db } from "../../store/store.ts";
import { selectTeamRows } from "../../store/tables/team-rows.ts";

export function findDelivery(db: Db, teamId: string, webhook_id: string, id: string): Promise<DeliveryRow | undefined> {
  return selectTeamRows(db, "webhook_deliveries", teamId, { webhook_id, id }).executeTakeFirst();
}

/** The message of a delivery. */
export function readMessage(db: Db, { event_id }: DeliveryRow): Promise<{ body: string }> {
  return db.selectFrom("webhook_messages").select("body").where("event_id", "=", event_id).executeTakeFirstOrThrow();
}

/** The attempts of a delivery, oldest first. */
export function attemptsOf(db: Db, deliveryId: string): Promise<EventTables["webhook_attempts"][]> {
  return db.selectFrom("webhook_attempts").selectAll().where("delivery_id", "=", deliveryId).orderBy("at").execute();
}

/** Deletes a webhook with its deliveries, or everything of the webhooks of a team that is deleted. */
export async function deleteWebhooks(db: Db, by: { webhookId: string } | { teamId: string }): Promise<void> {
  const [column, id] = "teamId" in by ? (["team_id", by.teamId] as const) : (["webhook_id", by.webhookId] as const);
  const deliveries = db.selectFrom("webhook_deliveries").select("id").where(column, "=", id);
  await db.deleteFrom("webhook_attempts").where("delivery_id", "in", deliveries).execute();
  await db.deleteFrom("webhook_deliveries").where(column, "=", id).execute();
  await db
    .deleteFrom("webhooks")
    .where("teamId" in by ? "team_id" : "id", "=", id)
    .execute();
  if ("teamId" in by) await db.deleteFrom("webhook_messages").where("team_id", "=", id).execute();
}
