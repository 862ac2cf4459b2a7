// The description of the sockets, AsyncAPI 3.0, made from the schemas that both sides parse by.
import { eventsSubprotocol, SubscriberMessage, SubscriptionMessage } from "../../protocol/operator/events.ts";
import { deviceSubprotocol, DeviceMessage, ServiceMessage } from "../../protocol/device/messages.ts";
import type { Json } from "./json.ts";
import { Schemas } from "./schemas.ts";

type Messages = typeof SubscriberMessage | typeof SubscriptionMessage | typeof DeviceMessage | typeof ServiceMessage;

/**
 * The AsyncAPI document. Objects that have a name in the protocol are components, as in the description of REST.
 * @param origin where the service is, such as `https://signage.example.com`; null where that is not known
 * @see https://www.asyncapi.com/docs/reference/specification/v3.0.0
 */
export function describeSockets(version: string, origin: string | null = null): Json {
  const doors = [
    {
      name: "events",
      address: "/api/v1/events",
      subprotocol: eventsSubprotocol,
      title: "Subscriptions",
      description:
        "What happens in a team, as it happens. Send the token (scope `events:read`) with the upgrade, or `?ticket=` from `POST /api/v1/events/tickets`. Then `subscribe`; `unsubscribe` ends it. Every message is answered by its `id`. Events are numbered without a gap in `seq`; after a drop subscribe again with `after: {epoch, seq}` of the last `event` or `place`. Within 24 hours nothing is lost or repeated; beyond, `resync` says to read everything again. Close codes: 4401 token not valid, 4403 scope missing or token revoked, 1012 restarting (see `goaway`), 1013 too slow: resume.",
      up: SubscriberMessage,
      down: SubscriptionMessage,
    },
    {
      name: "device",
      address: "/api/v1/device/ws",
      subprotocol: deviceSubprotocol,
      title: "Players",
      description:
        "A player's link. It opens with `hello`, answered by `welcome`. Messages with `seq` are journalled and acknowledged by `ack`. Close codes: 4401 token not valid, 4403 removed, 4409 another socket took over, 1012 restarting, 1013 too slow.",
      up: DeviceMessage,
      down: ServiceMessage,
    },
  ];
  const schemas = new Schemas();
  const channels = Object.fromEntries(
    doors.map(({ name, address, title, description, subprotocol, up, down }) => [
      name,
      {
        address,
        title,
        description,
        bindings: { ws: { method: "GET", headers: subprotocolHeader(subprotocol), bindingVersion: "0.1.0" } },
        messages: { ...messagesOf(up, "input", `${name}-in`, schemas), ...messagesOf(down, "output", `${name}-out`, schemas) },
      },
    ]),
  );
  const settled = schemas.settle({ channels });
  return {
    asyncapi: "3.0.0",
    info: { title: "signage-player sockets", version, license: { name: "Apache-2.0" } },
    ...(origin === null ? {} : { servers: { service: serverAt(origin) } }),
    defaultContentType: "application/json",
    channels: settled.part.channels,
    operations: Object.fromEntries(
      doors.flatMap(({ name, up, down }) => [
        [`${name}-receive`, operation("receive", name, up, `${name}-in`)],
        [`${name}-send`, operation("send", name, down, `${name}-out`)],
      ]),
    ),
    components: { schemas: settled.components },
  };
}

function serverAt(origin: string): Json {
  const { host, protocol } = new URL(origin);
  return { host, protocol: protocol === "https:" ? "wss" : "ws" };
}

function subprotocolHeader(subprotocol: string): Json {
  return { type: "object", properties: { "Sec-WebSocket-Protocol": { type: "string", const: subprotocol } } };
}

/** A message for each kind of the union, named by its `type`. */
function messagesOf(union: Messages, direction: "input" | "output", prefix: string, schemas: Schemas): Json {
  return Object.fromEntries(
    union.options.map((option) => {
      const name = nameOf(option);
      return [`${prefix}-${name}`, { name, contentType: "application/json", payload: schemas.of(option, direction) }];
    }),
  );
}

function nameOf(option: Messages["options"][number]): string {
  return [...option.shape.type.values][0]!;
}

function operation(action: "send" | "receive", channel: string, union: Messages, prefix: string): Json {
  const messages = union.options.map((option) => ({ $ref: `#/channels/${channel}/messages/${prefix}-${nameOf(option)}` }));
  return { action, channel: { $ref: `#/channels/${channel}` }, messages };
}
