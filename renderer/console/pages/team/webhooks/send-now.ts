// Sends a test, or a delivery again, and waits for the receiver's answer.
import { client } from "../../../data/client.ts";
import { useAct } from "../../../data/use-act.ts";
import { texts } from "../../../i18n/texts.ts";
import type { Toast } from "../../../ui/toasts.tsx";
import type { Delivery, Webhook } from "./webhook-status.tsx";

const text = texts("webhooks");

/** Longer than the service waits for a receiver. */
const waitSeconds = 20;

/** Sends a test event. */
export function useTest({ id }: Webhook) {
  return useAct({
    run: async () => {
      const { data } = await client.post("/api/v1/webhooks/{id}/test", { params: { path: { id } } });
      return waitForAttempt(data);
    },
    changes: ["webhooks", "audit"],
    toast: (delivery) => outcomeOf(delivery, "testWorked", "testFailed"),
  });
}

/** Sends a delivery again. */
export function useReplay({ id }: Webhook) {
  return useAct({
    run: async (delivery: Delivery) => {
      const path = { id, delivery_id: delivery.id };
      await client.post("/api/v1/webhooks/{id}/deliveries/{delivery_id}/replay", { params: { path } });
      return waitForAttempt(delivery);
    },
    changes: ["webhooks", "audit"],
    toast: (delivery) => outcomeOf(delivery, "replayWorked", "replayFailed"),
  });
}

/** The delivery with the result of its first attempt. */
async function waitForAttempt({ id, webhook_id }: Delivery): Promise<Delivery> {
  const params = { path: { id: webhook_id, delivery_id: id }, query: { wait_seconds: waitSeconds } };
  return (await client.get("/api/v1/webhooks/{id}/deliveries/{delivery_id}", { params })).data;
}

function outcomeOf(
  { attempts, status, last_response_status, last_error }: Delivery,
  successKey: "testWorked" | "replayWorked",
  failureKey: "testFailed" | "replayFailed",
): Toast {
  if (status === "delivered") return { message: text(successKey, { status: last_response_status }) };
  if (attempts === 0) return { message: text("stillWaiting") };
  return { kind: "failed", message: text(failureKey, { reason: last_error }) };
}
