// Runs the signage service: reads its flags and serves until it is stopped.
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { z } from "zod";
import { createSystemClock } from "../base/clock.ts";
import { checkFlags, readFlags, defineUsage } from "../base/config.ts";
import { folderFault } from "../base/files/data-folder.ts";
import { Fault, reasonOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { DatabaseAddress, ExistingFile, Gigabytes, Port, WebAddress } from "./flags.ts";
import { isUsablePath } from "../service/http/public-url.ts";
import { defaultMirrorBytes } from "../service/releases/mirror-limits.ts";
import { checkMessagesFlags, messagesFlags, messagesUsage, readMessagesFlags } from "./messages-flags.ts";
import { checkSmtpFlags, readSmtpFlags, smtpFlags, smtpUsage } from "./smtp-flags.ts";
import { checkS3Flags, readS3Flags, s3Flags, s3Usage } from "./s3-flags.ts";
import { checkSsoFlags, readSsoFlags, ssoFlags, ssoUsage } from "./sso-flags.ts";
import { isBlock, isLoopback, isNetwork } from "./addresses.ts";
import { showConsole } from "./console-link.ts";
import { commandName, dataFolder, readVersion, rendererFolder } from "./folders.ts";
import { startMediaInParent } from "./electron/media-relay.ts";
import { reportListening } from "./electron/parent-port.ts";

/** Its flags. */
export const usage = defineUsage({
  command: commandName("npm run service --", "serve"),
  summary: "The service: players connect to it, people and programs use it by REST, WebSocket and MCP. Documentation at /docs.",
  flags: {
    port: { value: "PORT", help: "Port to listen on; 0 for any free port (default 8080)" },
    data: {
      value: "SERVICE_DIR",
      help: `Folder for all data; the first access token is in SERVICE_DIR/admin-token (default ${join(dataFolder(), "service")})`,
    },
    database: {
      value: "postgres://…",
      help: "PostgreSQL database that several nodes share, each with a --data folder of its own (default: SQLite files in SERVICE_DIR)",
    },
    host: { value: "ADDRESS", help: "Address to listen on (default 127.0.0.1: this machine only). Any other needs TLS or --insecure-http" },
    "public-url": {
      value: "URL",
      help: "URL for people, players and phones, if different from the address it listens on. It may have a path: https://example.com/signage",
    },
    "tls-cert": { value: "FILE", help: "Certificate chain in PEM, for https" },
    "tls-key": { value: "FILE", help: "Private key of the certificate, in PEM" },
    "insecure-http": { help: "Listen beyond this machine without TLS: for a trusted network, or behind a proxy that terminates TLS" },
    "allow-address": {
      value: "CIDR[,CIDR]",
      help: "Private networks that webhooks and imports may connect to, besides public addresses",
    },
    "trusted-proxy": { value: "CIDR[,CIDR]", help: "Proxies whose X-Forwarded-For header is trusted" },
    "requests-per-minute": {
      value: "N",
      help: "Limit of requests per minute for each token, ten times as many for each browser (default 600)",
    },
    "releases-from": {
      value: "FOLDER|URL",
      help: "Release repository whose updates this service keeps and offers to its players; refreshed every hour",
    },
    "releases-root": { value: "FILE", help: "root.json that the releases are verified by (default: the first one that the source has)" },
    "releases-max-gb": { value: "GB", help: `How much of the releases is kept, the newest first (default ${defaultMirrorBytes / 1e9})` },
    ...s3Usage,
    ...messagesUsage,
    ...smtpUsage,
    ...ssoUsage,
    "no-announce": { help: "Do not announce the service on the local network (DNS-SD), where players' setup would find it" },
    "metrics-public": { help: "Serve /metrics to everybody, not only to this machine and to tokens" },
  },
  notes: ["Exit codes: 0 stopped on request, 1 failed, 2 bad flags."],
});

const ProxyList = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((list) => list.every(isNetwork), "must be addresses or networks, such as 10.0.0.0/8,::1");
const Requests = z
  .string()
  .regex(/^[1-9]\d{0,8}$/, "must be a whole number, 1 or more")
  .transform(Number);
const Flags = z
  .object({
    port: Port.default(8080),
    data: z.string().min(1, "must name a folder").default(join(dataFolder(), "service")),
    database: DatabaseAddress.optional(),
    host: z.string().min(1, "must be an address or a name").default("127.0.0.1"),
    "public-url": WebAddress.refine(
      (url) => isUsablePath(url),
      "may not have a path that begins like one of the service's own, such as /api or /docs",
    ).optional(),
    "tls-cert": ExistingFile,
    "tls-key": ExistingFile,
    "insecure-http": z.boolean().default(false),
    "allow-address": z
      .string()
      .transform((blocks) => blocks.split(",").map((block) => block.trim()))
      .refine((blocks) => blocks.every(isBlock), "must be addresses or blocks such as 10.1.0.0/16, with commas between them")
      .optional(),
    "trusted-proxy": ProxyList.default([]),
    "requests-per-minute": Requests.optional(),
    "releases-from": z.string().min(1, "must name a folder or an address").optional(),
    "releases-root": ExistingFile,
    "releases-max-gb": Gigabytes,
    ...s3Flags,
    ...messagesFlags,
    ...smtpFlags,
    ...ssoFlags,
    "metrics-public": z.boolean().default(false),
    "no-announce": z.boolean().default(false),
  })
  .superRefine((flags, context) => {
    const wrong = (flag: string, message: string) => context.addIssue({ code: "custom", path: [flag], message });
    const hasTls = flags["tls-cert"] !== undefined && flags["tls-key"] !== undefined;
    if (!hasTls && flags["tls-cert"] !== undefined) wrong("tls-key", "goes with --tls-cert");
    if (!hasTls && flags["tls-key"] !== undefined) wrong("tls-cert", "goes with --tls-key");
    if (hasTls && flags["insecure-http"]) wrong("insecure-http", "contradicts --tls-cert");
    checkS3Flags(flags, process.env, wrong);
    checkMessagesFlags(flags, wrong);
    checkSmtpFlags(flags, wrong, isLoopback);
    checkSsoFlags(flags, wrong);
    if (!isLoopback(flags.host) && !hasTls && !flags["insecure-http"]) {
      wrong(
        "host",
        `${flags.host} is reachable from other machines: set --tls-cert and --tls-key, or --insecure-http if a proxy terminates TLS`,
      );
    }
  })
  .transform((flags) => ({
    port: flags.port,
    host: flags.host,
    data: flags.data,
    database: flags.database ?? null,
    publicUrl: flags["public-url"] ?? null,
    allowAddresses: flags["allow-address"] ?? [],
    tls: flags["tls-cert"] === undefined || flags["tls-key"] === undefined ? null : { cert: flags["tls-cert"], key: flags["tls-key"] },
    trustedProxies: flags["trusted-proxy"],
    metricsPublic: flags["metrics-public"],
    releases: {
      from: flags["releases-from"] ?? null,
      rootFile: flags["releases-root"] ?? null,
      maxBytes: flags["releases-max-gb"],
    },
    s3: readS3Flags(flags, process.env),
    ...readMessagesFlags(flags),
    smtp: readSmtpFlags(flags),
    sso: readSsoFlags(flags),
    // Nobody else can reach a service on loopback.
    announce: !flags["no-announce"] && !isLoopback(flags.host),
    limits: flags["requests-per-minute"] === undefined ? {} : { token: flags["requests-per-minute"] },
  }));

/** The service's settings from its flags. */
export type ServiceFlags = z.infer<typeof Flags>;

/** @throws Fault `bad-config` in one line. */
export function readServiceConfig(argv: readonly string[]): ServiceFlags {
  return checkFlags(Flags.safeParse(readFlags(argv, usage)), usage);
}

/** Runs the service until `signal` aborts. */
export async function runService(flags: ServiceFlags, log: Log, signal: AbortSignal): Promise<void> {
  allowYoungGenerationGrowth(false);
  const { startService } = await import("../service/server.ts");
  const startMediaProcess = process.parentPort === undefined ? undefined : startMediaInParent(process.parentPort);
  const config = {
    ...flags,
    startMediaProcess,
    consoleFolder: builtConsole(log),
    pageFolder: builtPage(),
    version: readVersion(),
  };
  await using service = await startService(config, { log, clock: createSystemClock() }).catch((error: unknown) => {
    throw startFault(flags, error) ?? error;
  });
  allowYoungGenerationGrowth(true);
  log.info({ url: service.url }, "listening");
  await using _announced = flags.announce ? await announce(flags, service.url, log) : null;
  reportListening(service.url);
  const tokenFile = join(flags.data, "admin-token");
  if (config.consoleFolder !== null) await showConsole({ url: service.url, publicUrl: flags.publicUrl, tokenFile }, log);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** The folder of the built console; null, with a warning, if it is not built. */
function builtConsole(log: Log): string | null {
  const folder = join(rendererFolder, "console");
  if (existsSync(join(folder, "index.html"))) return folder;
  log.warn({ path: folder }, "the console is not built and not served. Run: npm run build:page");
  return null;
}

/** The folder of the player's built page; null if it is not built. It is built together with the console, whose absence is reported. */
function builtPage(): string | null {
  const folder = join(rendererFolder, "player");
  return existsSync(join(folder, "preview.html")) ? folder : null;
}

/** Announces the service on the local network, until disposed. */
async function announce({ host, tls, publicUrl }: ServiceFlags, url: string, log: Log): Promise<AsyncDisposable> {
  const { announceService } = await import("./discovery/announce.ts");
  const text = {
    path: "/",
    tls: tls === null ? "0" : "1",
    version: readVersion(),
    ...(publicUrl === null ? {} : { url: publicUrl }),
  } as const;
  return announceService(
    { name: `Signage service on ${hostname()}`, port: Number(new URL(url).port) || (tls === null ? 80 : 443), host, text },
    {},
    log,
  );
}

/**
 * Controls whether V8 may double the young generation when many new objects survive. Many do during the start, which would
 * allocate 64 MB that the service then keeps without using it.
 */
function allowYoungGenerationGrowth(isAllowed: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${isAllowed ? 2 : 1}`);
}

/** Why the service could not start, naming the flag to change; null for an unexpected error. */
function startFault({ data, host, port, tls }: ServiceFlags, error: unknown): Fault | null {
  if (!(error instanceof Error) || !("code" in error)) return null;
  const fault = (message: string) => new Fault("refused", message, { cause: error });
  const isListening = "syscall" in error && (error.syscall === "listen" || error.syscall === "bind");
  if (error.code === "EADDRINUSE") return fault(`port ${port} is in use by another program: choose another with --port`);
  if (error.code === "EADDRNOTAVAIL") return fault(`${host} is not an address of this machine: choose another with --host`);
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN")
    return fault(`the name ${host} cannot be resolved: set an address with --host`);
  if (isListening && error.code === "EACCES") return fault(`port ${port} requires root: choose a port of 1024 or more with --port`);
  if (tls !== null && String(error.code).startsWith("ERR_OSSL")) {
    return fault(`${tls.cert} and ${tls.key} are not a matching certificate and key in PEM (${reasonOf(error)})`);
  }
  if (tls !== null && "path" in error && (error.path === tls.cert || error.path === tls.key)) {
    return fault(`${error.path} cannot be read (${String(error.code)}): choose files that this user may read`);
  }
  return folderFault(data, error);
}
