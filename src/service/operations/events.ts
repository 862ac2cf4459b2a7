// The subscriptions' side in REST: a ticket for browsers. The socket itself is at GET /events.
import { z } from "zod";
import { change, operation, type Operation } from "./operation.ts";

const Ticket = z.object({
  ticket: z.string().describe("Good once, for `GET /api/v1/events?ticket=…`"),
  expires_in: z.int().describe("Seconds"),
});

export const eventOperations: readonly Operation[] = [
  operation({
    name: "createEventTicket",
    tag: "events",
    method: "POST",
    path: "/events/tickets",
    summary: "Get a ticket to subscribe from a browser",
    description:
      "A browser's WebSocket cannot send the token. The ticket stands for it, once, within half a minute. Programs send `Authorization` with the upgrade instead.",
    caller: "operator",
    scope: "events:read",
    agent: false,
    status: 201,
    output: Ticket,
    errors: ["too-many"],
    run: (context) => change(context, async () => ({ result: context.parts.subscribers.ticket(context.operator) })),
  }),
];
