// How a service announces itself on the local network (DNS-SD over multicast DNS), and the name of a discovered service for people.
import { z } from "zod";
import { cleanText } from "../text.ts";

/** The DNS-SD type of a service, with multicast DNS's domain. */
export const serviceType = "_signage._tcp.local";

const webAddress = z.url({ protocol: /^https?$/ }).max(500);

/**
 * The TXT record of a service. It comes from anybody on the network, so it is only shown to people, never used by itself.
 * Unknown entries are ignored, as RFC 6763 asks.
 */
export const ServiceText = z.object({
  name: z.string().max(200).optional().describe("What people call it"),
  path: z.string().max(200).regex(/^\//).optional().describe("Where the API is on that host, `/` by default"),
  tls: z.enum(["0", "1"]).optional().describe("`1`: https"),
  url: webAddress.optional().describe("Its public address, which its certificate is for. Takes precedence over host, port and path"),
  version: z.string().max(64).optional(),
});
export type ServiceText = z.infer<typeof ServiceText>;

/** A service that was found on the network. Nobody vouches for it. */
export const FoundService = z.object({
  name: z
    .string()
    .max(300)
    .transform((name) => cleanText(name, 100)),
  url: webAddress,
});
export type FoundService = z.infer<typeof FoundService>;
