// Calls of the service's HTTP API that need the player's access token: files, outbox messages and play events.
import type { DesiredAsset } from "../../protocol/device/desired-state.ts";
import type { PlayEvent } from "../../protocol/device/play-events.ts";
import type { AccessTokens } from "./access.ts";
import type { OutboxMessage } from "../outbox/outbox-message.ts";
import type { ServiceApi } from "./service-api.ts";
import { HttpFault } from "./service-http.ts";

/** Each call renews the token if needed and rejects as {@link ServiceApi} documents. */
export type DeviceApiClient = ReturnType<typeof createDeviceApiClient>;

export function createDeviceApiClient(api: ServiceApi, accessTokens: AccessTokens) {
  return {
    /** Opens a file of the desired state, from `offset` bytes on. */
    openFile: (asset: DesiredAsset, offset: number, signal: AbortSignal) =>
      accessTokens.withToken(signal, (token) => api.file(token, asset, offset, signal)),
    /** Reads a file of release metadata; null if the service does not have it. */
    readReleaseMetadata: (path: string, maxBytes: number, signal: AbortSignal) =>
      accessTokens.withToken(signal, (token) => api.releaseMetadata(token, path, maxBytes, signal)),
    /** Sends a frame of a live view. Resolves with the service's limits for the next ones; null: nobody watches any more. */
    sendLiveFrame: (streamId: string, frame: Buffer, signal: AbortSignal) =>
      accessTokens.withToken(signal, (token) => api.liveFrame(token, streamId, frame, signal)),
    sendPlayEvents: (events: PlayEvent[], signal: AbortSignal) =>
      accessTokens.withToken(signal, (token) => api.playEvents(token, events, signal)),
    /** Resolves to null once the service has accepted the message, or to its reason for refusing it. */
    sendOutboxMessage: (message: OutboxMessage, signal: AbortSignal): Promise<HttpFault | null> =>
      accessTokens.withToken(signal, async (token) => {
        try {
          if (message.is === "command-status") await api.commandStatus(token, message.commandId, message.update, signal);
          else if (message.is === "problem") await api.problemRecord(token, message.problemId, message.record, signal);
          else if (message.is === "log")
            await api.log(token, message.logId, Buffer.from(message.base64, "base64"), message.headers, signal);
          else await api.screenshot(token, message.screenshotId, Buffer.from(message.base64, "base64"), message.headers, signal);
          return null;
        } catch (error) {
          // Older services do not know problem records: they get the problems in heartbeats.
          if (message.is === "problem" && error instanceof HttpFault && error.status === 404) return null;
          // A refused token says nothing about the message, so only responses to the message itself count.
          if (error instanceof HttpFault && error.isAboutRequest) return error;
          throw error;
        }
      }),
  };
}
