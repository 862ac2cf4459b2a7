// The configuration of a service.
import type { SmtpConfig } from "./alerts/mail/smtp.ts";
import type { AddressBlock } from "./content/outbound-clients.ts";
import type { HttpDeadlines } from "./http/limits/deadlines.ts";
import type { RequestLimits } from "./http/limits/rate-limit.ts";
import type { LimitTable } from "./media/limits.ts";
import type { StartMediaProcess } from "./media/process.ts";
import type { S3Config } from "./content/blobs/s3/config.ts";
import type { MessagesConfig } from "./nodes/messages/server.ts";
import type { PasswordWork } from "./people/passwords/hashing.ts";
import type { SsoConfig } from "./people/sso/config.ts";
import type { MirrorConfig } from "./releases/mirror.ts";

export interface ServiceConfig {
  /** 0: any free port. */
  port: number;
  host: string;
  /** The data folder. */
  data: string;
  /** The PostgreSQL database that several nodes share, `postgres://…`; default: SQLite files in the data folder. */
  database?: string | null;
  /** The public URL of the service, for links and QR codes; null if it is not known. */
  publicUrl: string | null;
  /** Paths of the certificate and the key (PEM); null for plain HTTP. */
  tls: { cert: string; key: string } | null;
  /** The folder of the built console; null: it is not served. */
  consoleFolder: string | null;
  /** The folder of the player's built page, for previews; default: there are none. */
  pageFolder?: string | null;
  version: string;
  /** The largest asset, bytes; default 2 GiB. */
  maxAssetBytes?: number;
  /** The bucket of the blobs and of unfinished uploads; default: they are in the data folder. */
  s3?: S3Config | null;
  /** How long an unreferenced blob of a bucket stays; default an hour. */
  blobGraceMs?: number;
  heartbeatMs?: number;
  /** Private address blocks that webhooks and imports may call. */
  allowAddresses?: readonly AddressBlock[];
  /** Requests per minute; defaults: {@link defaultLimits}. */
  limits?: Partial<RequestLimits>;
  /** How long clients may take, ms; defaults: {@link defaultDeadlines}. */
  deadlines?: Partial<HttpDeadlines>;
  /** Proxies whose X-Forwarded-For is trusted, as addresses or in CIDR notation; default none. */
  trustedProxies?: readonly string[];
  /** True if anyone may read the metrics. By default only this machine and tokens with `teams:read` may. */
  metricsPublic?: boolean;
  /** The cost of the hash of a new password; default: the recommendation of OWASP. */
  passwordWork?: PasswordWork;
  /** How long play events are kept, days; default 400. */
  playEventDays?: number;
  /** Resource limits for examining files, by kind; the rest has defaults. */
  mediaLimits?: Partial<LimitTable>;
  /** The source of players' releases; default: the releases in the data folder are served, and nothing is fetched. */
  releases?: MirrorConfig;
  /** The mail server for alerts; default: no mails are sent. */
  smtp?: SmtpConfig | null;
  /** The provider of single sign-on; default: there is none. */
  sso?: SsoConfig | null;
  /** The message server that speeds up announcements between nodes; default: they poll. */
  messages?: MessagesConfig | null;
  /**
   * Over how long the node asks its players to reconnect elsewhere when it stops, ms; default 0: all at once. Before it, `/readyz` fails,
   * so that a proxy sends them to other nodes.
   */
  drainMs?: number;
  /** Starts a process that examines files; by default a Node process. */
  startMediaProcess?: StartMediaProcess | undefined;
}
