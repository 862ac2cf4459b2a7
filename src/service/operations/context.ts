// The context of an operation: the request that it handles, independent of the request's protocol.
import type { Operator } from "../people/operator.ts";
import type { PlayerRow } from "../store/tables/fleet.ts";

interface RequestContext {
  /** The client's IP address. */
  address: string;
  requestId: string;
  /** The origins of the service's own pages, see `ownOrigins`. */
  origins: readonly string[];
  /** The service's address as the client sees it, for links: its origin and the path of `--public-url`, without a slash at its end. */
  baseUrl: string | null;
  /** Reads a request header by its lower-case name. */
  header: (name: string) => string | undefined;
  /** Gives a sender without a token time for a slow body: it has proved a right to call in another way. */
  trust: () => void;
  /** Aborts when the client disconnects, its token ends or the service stops. */
  signal: AbortSignal;
}

/** The context of a request, by kind of caller. */
export interface Contexts {
  operator: RequestContext & { operator: Operator; teamId: string; tokenId: string };
  device: RequestContext & { player: PlayerRow };
  anyone: RequestContext;
}

export type Caller = keyof Contexts;
export type OperatorContext = Contexts["operator"];
