// The description of the sockets, AsyncAPI 3.0, made from the schemas that both sides parse by.
import { z } from "zod";
import { eventsSubprotocol, SubscriberMessage, SubscriptionMessage } from "../protocol/events.ts";
import { deviceSubprotocol, DeviceMessage, ServiceMessage } from "../protocol/wire.ts";

type Json = Record<string, unknown>;

/** The AsyncAPI document. @see https://www.asyncapi.com/docs/reference/specification/v3.0.0 */
export function describeSockets(version: string): Json {
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
  return {
    asyncapi: "3.0.0",
    info: { title: "signage-player sockets", version, license: { name: "Apache-2.0" } },
    defaultContentType: "application/json",
    channels: Object.fromEntries(
      doors.map(({ name, address, title, description, subprotocol, up, down }) => [
        name,
        {
          address,
          title,
          description,
          bindings: { ws: { method: "GET", headers: subprotocolHeader(subprotocol), bindingVersion: "0.1.0" } },
          messages: { ...messagesOf(up, `${name}-in`), ...messagesOf(down, `${name}-out`) },
        },
      ]),
    ),
    operations: Object.fromEntries(
      doors.flatMap(({ name, up, down }) => [
        [`${name}-receive`, operation("receive", name, up, `${name}-in`)],
        [`${name}-send`, operation("send", name, down, `${name}-out`)],
      ]),
    ),
  };
}

function subprotocolHeader(subprotocol: string): Json {
  return { type: "object", properties: { "Sec-WebSocket-Protocol": { type: "string", const: subprotocol } } };
}

/** A message for each kind of the union, named by its `type`. */
function messagesOf(
  union: typeof SubscriberMessage | typeof SubscriptionMessage | typeof DeviceMessage | typeof ServiceMessage,
  prefix: string,
) {
  return Object.fromEntries(
    union.options.map((option) => {
      const { type } = option.shape;
      const name = [...type.values][0]!;
      const payload = z.toJSONSchema(option, { target: "draft-7", unrepresentable: "any" });
      return [
        `${prefix}-${name}`,
        { name, contentType: "application/json", payload: { schemaFormat: "application/schema+json;version=draft-07", schema: payload } },
      ];
    }),
  );
}

function operation(action: "send" | "receive", channel: string, union: Parameters<typeof messagesOf>[0], prefix: string): Json {
  const messages = Object.keys(messagesOf(union, prefix)).map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }));
  return { action, channel: { $ref: `#/channels/${channel}` }, messages };
}
