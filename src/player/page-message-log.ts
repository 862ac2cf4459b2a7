// Logs the page's reports.
import type { Log } from "../base/log.ts";
import type { FromPage } from "../protocol/page-messages.ts";

/** Logs messages about the page as a whole. */
export function logPageMessage(message: FromPage, log: Log): void {
  if (message.type === "screen") log.info({ screen: message.is, code: message.code ?? undefined }, "screen shown");
  else if (message.type === "simplified")
    log.warn({ ...message, type: undefined }, "transitions are shown as cuts for a while: the screen is too slow for them");
  else if (message.type === "fault") log.error({ detail: message.detail }, "the page reports a fault");
}

/** Logs messages about items. */
export function logItemMessage(message: FromPage, log: Log): void {
  if (message.type === "presented") {
    const { zone_id, item_id, asset_id, cause, at } = message;
    log.info({ item_id, asset_id, zone_id, cause, presented_at: new Date(at).toISOString() }, "presented");
  } else if (message.type === "fallback") {
    log.warn({ zone_id: message.zone_id }, "no item of the zone can be shown: the zone shows its fallback");
  } else if (message.type === "failed" || message.type === "flawed") {
    const { zone_id, item_id, asset_id, code, detail } = message;
    const about = { item_id, asset_id, zone_id, code, detail };
    if (message.type === "failed") log.error(about, "an item could not be shown");
    else log.warn(about, "an item is shown with a defect");
  }
}
