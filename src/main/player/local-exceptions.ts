// Services of this machine to which content may connect: reads them from the player's flag.
import { hostOf, hostPort } from "../../base/http/url-host.ts";

/** A service, by the host and port of its URLs. IPv6 addresses have no brackets. */
export interface LocalException {
  host: string;
  /** `*` for every port. */
  port: number | "*";
}

/** Parses `HOST:PORT[,…]`, where PORT may be `*` and IPv6 addresses are in brackets. Null when the text is invalid. */
export function parseLocalExceptions(text: string): LocalException[] | null {
  const parts = text.split(",");
  const exceptions = parts.flatMap((part): LocalException[] => {
    const [, host = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]{1,253}):(\*|\d{1,5})$/.exec(part.trim()) ?? [];
    const isPort = port === "*" || (Number(port) > 0 && Number(port) <= 65_535);
    if (!isPort || !URL.canParse(`http://${host}/`)) return [];
    // The notation of browsers, which is unique for each address.
    return [{ host: hostOf(new URL(`http://${host}/`)), port: port === "*" ? port : Number(port) }];
  });
  return exceptions.length === parts.length ? exceptions : null;
}

/** The text that `parseLocalExceptions` parses as `exceptions`. */
export function formatLocalExceptions(exceptions: readonly LocalException[]): string {
  return exceptions.map(({ host, port }) => hostPort(host, port)).join(",");
}

/** Returns a function that checks whether content may connect to a host of this machine at a port. */
export function localAccessRule(exceptions: readonly LocalException[]): (host: string, port: number) => boolean {
  return (host, port) => exceptions.some((each) => each.host === host && (each.port === "*" || each.port === port));
}
