// A request as admission and the gateway see it, the same for REST and MCP.

export interface Call {
  id: string;
  /** The client's IP address. */
  address: string;
  /** The requested URL with its query. An idempotency key may not be reused with another URL. */
  url: string;
  /** The origins of the service's own pages, see `ownOrigins`. */
  origins: readonly string[];
  /** The service's address as the client sees it, for links: its origin and the path of `--public-url`, without a slash at its end. */
  baseUrl: string | null;
  /** Reads a request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** Gives the sender time for a slow body or download: it has proved a right to call. */
  trust(): void;
  setHeaders(headers: Readonly<Record<string, string>>): void;
  /** Aborts when the client disconnects or the response has been sent. */
  closedSignal(): AbortSignal;
}
