// Reports the errors that nothing on the page caught.
import type { FromPage } from "../../src/protocol/page-messages.ts";

const maxDetailLength = 2_000;

/** Calls `report` with each uncaught error from now on. */
export function reportUncaughtErrors(report: (message: FromPage) => void): void {
  addEventListener("error", ({ message, error }: ErrorEvent) => {
    report(faultOf(error ?? message));
  });
  addEventListener("unhandledrejection", ({ reason }) => {
    // Not an error: pdf.js leaves a rejection unhandled when a file is closed while it loads.
    if (!(reason instanceof DOMException && reason.name === "AbortError")) report(faultOf(reason));
  });
}

/** The report of an error. */
export function faultOf(reason: unknown): FromPage {
  const detail = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  return { type: "fault", detail: detail.slice(0, maxDetailLength) };
}
