// What a player asks of its service over HTTP with its access token: files, results, play events.
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { PlayEvent } from "../../protocol/device/play-events.ts";
import type { AccessTokens } from "./access.ts";
import type { OutboxMessage } from "../proof/outbox.ts";
import type { ServiceApi } from "./service-api.ts";

/** The errands of one pairing. Each renews the token where need be and rejects as {@link ServiceApi} says. */
export type DeviceApiClient = ReturnType<typeof createDeviceApiClient>;

/** Binds the errands to a service and the access to it. */
export function createDeviceApiClient(api: ServiceApi, access: AccessTokens) {
  return {
    /** Fetches a file of the state, from `offset` bytes on. */
    file: (asset: DesiredAsset, offset: number, signal: AbortSignal) =>
      access.withToken(signal, (token) => api.file(token, asset.url, offset, signal)),
    plays: (events: PlayEvent[], signal: AbortSignal) => access.withToken(signal, (token) => api.playEvents(token, events, signal)),
    deliver: async (letter: OutboxMessage, signal: AbortSignal): Promise<void> => {
      await access.withToken(signal, (token) =>
        letter.is === "command-status"
          ? api.commandStatus(token, letter.commandId, letter.update, signal)
          : api.screenshot(token, letter.screenshotId, Buffer.from(letter.base64, "base64"), letter.headers, signal),
      );
    },
  };
}
