// Follows the events of a service over its WebSocket, and opens it again when it closes.
import { WebSocket } from "ws";
import type { Clock } from "../../base/clock.ts";
import { Fault, reasonOf } from "../../base/fault.ts";
import { messageText } from "../../base/websocket-text.ts";
import { parseMessage } from "../../protocol/device/messages.ts";
import { eventCloseCodes, eventsSubprotocol, SubscriptionMessage, type SubscriberMessage } from "../../protocol/operator/events.ts";

export interface EventsOptions {
  server: string;
  token: string;
  subscription: Extract<SubscriberMessage, { type: "subscribe" }>["data"];
  /** Called with each message. Unknown messages, of a newer service, are left out. */
  onMessage: (message: SubscriptionMessage) => void;
  clock: Clock;
}

const reopenMs = 1_000;

/** Runs until `signal` aborts; rejects with an AbortError then. @throws Fault `refused` if the token may not read events. */
export async function followEvents(options: EventsOptions, signal: AbortSignal): Promise<never> {
  for (;;) {
    await followOnce(options, signal);
    await options.clock.wait(reopenMs, signal);
  }
}

async function followOnce({ server, token, subscription, onMessage }: EventsOptions, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const url = `${server.replace(/^http/, "ws").replace(/\/+$/, "")}/api/v1/events`;
  const socket = new WebSocket(url, eventsSubprotocol, { headers: { authorization: `Bearer ${token}` } });
  const end = (): void => socket.terminate();
  signal.addEventListener("abort", end, { once: true });
  // The socket closes after an error, and is opened again.
  let failure = "";
  socket.on("error", (error) => (failure = reasonOf(error)));
  socket.on("open", () => {
    socket.send(JSON.stringify({ type: "subscribe", id: "show", data: subscription } satisfies SubscriberMessage));
  });
  socket.on("message", (raw) => {
    const parsed = parseMessage(SubscriptionMessage, messageText(raw));
    if (parsed.is !== "unknown") onMessage(parsed.message);
  });
  const { code, reason } = await new Promise<{ code: number; reason: Buffer }>((resolve) =>
    socket.once("close", (closeCode, closeReason) => resolve({ code: closeCode, reason: closeReason })),
  );
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (code === eventCloseCodes.badToken || code === eventCloseCodes.forbidden) {
    throw new Fault("refused", `the screens cannot be watched: ${reason.toString() || failure || "the token may not read events"}`);
  }
}
