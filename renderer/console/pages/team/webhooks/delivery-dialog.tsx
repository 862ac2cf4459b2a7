// One delivery: its body, and the receiver's answer to each attempt.
import { useQuery } from "@tanstack/react-query";
import { client } from "../../../data/client.ts";
import { formatDateTime } from "../../../i18n/format.ts";
import { texts } from "../../../i18n/texts.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { ProblemMessage } from "../../../ui/problem-message.tsx";
import type { Delivery, Webhook } from "./webhook-status.tsx";

const text = texts("webhooks");

interface DeliveryDialogProps {
  webhook: Webhook;
  delivery: Delivery;
  onClose: () => void;
}

export function DeliveryDialog({ webhook, delivery, onClose }: DeliveryDialogProps) {
  const { data, error } = useQuery({
    queryKey: ["webhooks", "delivery", delivery.id],
    queryFn: async () => {
      const params = { path: { id: webhook.id, delivery_id: delivery.id } };
      return (await client.get("/api/v1/webhooks/{id}/deliveries/{delivery_id}", { params })).data;
    },
    staleTime: 0,
  });
  return (
    <Dialog title={text("deliveryTitle", { type: delivery.type })} isOpen onClose={onClose} size="large">
      <ProblemMessage error={error} />
      {data === undefined ? null : (
        <>
          <section className="exchange stack gap-2">
            <h3>{text("request")}</h3>
            <p className="mono">{text("requestText", { url: webhook.url })}</p>
            <pre className="pad-3 sunken rounded small break-words" tabIndex={0} aria-label={text("request")}>
              {readable(data.body)}
            </pre>
          </section>
          {data.log.toReversed().map(({ attempt, at, duration_ms, response_status, response_body, error: reason }) => (
            <section key={`${attempt} ${at}`} className="exchange stack gap-2">
              <h3>{text("attempt", { number: attempt })}</h3>
              <p className="faint">{text("attemptTook", { time: formatDateTime(new Date(at)), ms: duration_ms })}</p>
              <p className="cluster gap-2-4">
                {response_status === null ? null : (
                  <span className="badge" data-kind={response_status < 300 ? "good" : "bad"}>
                    {text("statusCode", { status: response_status })}
                  </span>
                )}
                {reason === null ? null : <span>{reason}</span>}
              </p>
              {response_status === null ? null : response_body === null || response_body === "" ? (
                <p className="faint">{text("noResponse")}</p>
              ) : (
                <pre className="pad-3 sunken rounded small break-words" tabIndex={0} aria-label={text("response")}>
                  {response_body}
                </pre>
              )}
            </section>
          ))}
        </>
      )}
    </Dialog>
  );
}

/** JSON with line breaks; anything else as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return body;
    throw error;
  }
}
