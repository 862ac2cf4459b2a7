// Calls of the service's HTTP API that need the player's access token: files, outbox messages and play events.
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { PlayEvent } from "../../protocol/device/play-events.ts";
import type { AccessTokens } from "./access.ts";
import type { OutboxMessage } from "../proof/outbox.ts";
import type { ServiceApi } from "./service-api.ts";

/** Each call renews the token if needed and rejects as {@link ServiceApi} documents. */
export type DeviceApiClient = ReturnType<typeof createDeviceApiClient>;

export function createDeviceApiClient(api: ServiceApi, accessTokens: AccessTokens) {
  return {
    /** Opens a file of the desired state, from `offset` bytes on. */
    openFile: (asset: DesiredAsset, offset: number, signal: AbortSignal) =>
      accessTokens.withToken(signal, (token) => api.file(token, asset, offset, signal)),
    sendPlayEvents: (events: PlayEvent[], signal: AbortSignal) =>
      accessTokens.withToken(signal, (token) => api.playEvents(token, events, signal)),
    sendOutboxMessage: async (message: OutboxMessage, signal: AbortSignal): Promise<void> => {
      await accessTokens.withToken(signal, (token) =>
        message.is === "command-status"
          ? api.commandStatus(token, message.commandId, message.update, signal)
          : api.screenshot(token, message.screenshotId, Buffer.from(message.base64, "base64"), message.headers, signal),
      );
    },
  };
}
