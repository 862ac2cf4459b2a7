// The signage service: reads its flags, runs until it is told to stop.
import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { z } from "zod";
import { createSystemClock } from "../base/clock.ts";
import { checkFlags, readFlags } from "../base/config.ts";
import { Fault } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { Port } from "./flags.ts";
import { calendar } from "./calendar.ts";
import { foretell } from "./foretell.ts";
import { dataFolder, readVersion, rootFolder } from "./folders.ts";
import { startByParent } from "./media-relay.ts";
import { tellListening } from "./parent-port.ts";
import { runProgram } from "./program.ts";

const usage =
  "npm run service -- --port 8080 --data DIR [--host 127.0.0.1] [--public-url URL] [--tls-cert F --tls-key F | --insecure-http] [--allow-address CIDR,…] [--trusted-proxy CIDR,…] [--requests-per-minute 600] [--metrics-public]";

const file = z
  .string()
  .refine((path) => existsSync(path), "there is no such file")
  .optional();
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
    host: z.string().min(1, "must be an address or a name").default("127.0.0.1"),
    "public-url": z.url({ protocol: /^https?$/, message: "must be an http:// or https:// address" }).optional(),
    "tls-cert": file,
    "tls-key": file,
    "insecure-http": z.boolean().default(false),
    "allow-address": z
      .string()
      .transform((blocks) => blocks.split(",").map((block) => block.trim()))
      .refine((blocks) => blocks.every(isBlock), "must be addresses or blocks such as 10.1.0.0/16, with commas between them")
      .optional(),
    "trusted-proxy": ProxyList.default([]),
    "requests-per-minute": Requests.optional(),
    "metrics-public": z.boolean().default(false),
  })
  .superRefine((flags, context) => {
    const wrong = (flag: string, message: string) => context.addIssue({ code: "custom", path: [flag], message });
    const hasTls = flags["tls-cert"] !== undefined && flags["tls-key"] !== undefined;
    if (!hasTls && flags["tls-cert"] !== undefined) wrong("tls-key", "goes with --tls-cert");
    if (!hasTls && flags["tls-key"] !== undefined) wrong("tls-cert", "goes with --tls-key");
    if (hasTls && flags["insecure-http"]) wrong("insecure-http", "contradicts --tls-cert");
    if (!isLoopback(flags.host) && !hasTls && !flags["insecure-http"]) {
      wrong("host", `${flags.host} is reachable from outside: give --tls-cert and --tls-key, or --insecure-http if a proxy does TLS`);
    }
  })
  .transform((flags) => ({
    port: flags.port,
    host: flags.host,
    data: flags.data,
    publicUrl: flags["public-url"] ?? null,
    allowAddresses: flags["allow-address"] ?? [],
    tls: flags["tls-cert"] === undefined || flags["tls-key"] === undefined ? null : { cert: flags["tls-cert"], key: flags["tls-key"] },
    trustedProxies: flags["trusted-proxy"],
    metricsPublic: flags["metrics-public"],
    limits: flags["requests-per-minute"] === undefined ? {} : { token: flags["requests-per-minute"] },
  }));

/** What the service is started with. */
export type ServiceFlags = z.infer<typeof Flags>;

/** @throws Fault `bad-config` in one line. */
export function readServiceConfig(argv: readonly string[]): ServiceFlags {
  const options = {
    port: { type: "string" },
    data: { type: "string" },
    host: { type: "string" },
    "public-url": { type: "string" },
    "tls-cert": { type: "string" },
    "tls-key": { type: "string" },
    "insecure-http": { type: "boolean" },
    "allow-address": { type: "string" },
    "trusted-proxy": { type: "string" },
    "requests-per-minute": { type: "string" },
    "metrics-public": { type: "boolean" },
  } as const;
  return checkFlags(Flags.safeParse(readFlags(argv, options, usage)), usage);
}

/** Runs the service until `signal` aborts. */
export async function runService(flags: ServiceFlags, log: Log, signal: AbortSignal): Promise<void> {
  growYoungGeneration(false);
  const { startService } = await import("../service/server.ts");
  const startMediaProcess = process.parentPort === undefined ? undefined : startByParent(process.parentPort);
  const config = {
    ...flags,
    startMediaProcess,
    claimFolder: join(rootFolder, "renderer/claim"),
    version: readVersion(),
    foretell,
    calendar,
  };
  await using service = await startService(config, { log, clock: createSystemClock() }).catch((error: unknown) => {
    throw isPortTaken(error) ? new Fault("refused", `port ${flags.port} is taken: give another one with --port`, { cause: error }) : error;
  });
  growYoungGeneration(true);
  log.info({ url: service.url }, "listening");
  tellListening(service.url);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/**
 * Whether V8 may double its space for new objects where many of them live on. A start is full of such objects, and would take
 * 64 MB for it that the service then keeps though it has no need of them.
 */
function growYoungGeneration(may: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`);
}

/** An address with or without the length of its prefix. */
function isBlock(block: string): boolean {
  const [address, bits, more] = block.split("/");
  const most = isIP(address!) === 4 ? 32 : 128;
  return isIP(address!) !== 0 && more === undefined && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

/** Whether `text` is an address or a network in CIDR notation. */
function isNetwork(text: string): boolean {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && (bits === undefined || Number(bits) <= (version === 4 ? 32 : 128));
}

function isPortTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

if (import.meta.main) await runProgram("service", () => readServiceConfig(process.argv.slice(2)), runService);
