// The fields of items that show other sites: web pages and HTML bundles.
import { z } from "zod";
import { dayMs } from "../../base/time.ts";

// The browser sets these headers itself, or they describe the connection. Other values would break the request or fake its origin.
const reservedHeaders = /^(host|origin|referer|cookie|content-length|transfer-encoding|connection|upgrade|te|trailer|(sec|proxy)-.*)$/i;
const HeaderName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "must be the name of a header")
  .refine((name) => !reservedHeaders.test(name), "must not be a header that the browser sets itself");
const HeaderValue = z
  .string()
  .max(4_096)
  .regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII on one line");

/** Operators read this instead of a secret. Sending it back keeps the stored secret. */
export const secretMask = "********";
const maskDescription = `Read back as \`${secretMask}\`; sending that keeps the stored value while the origin of \`url\` stays`;

/** A URL without a user name and password. Those belong in `basic_auth`, which keeps them secret. */
const WebAddress = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .max(2_048)
  .refine((url) => !/^[^/]*\/\/[^/?#]*@/.test(url), "must not contain a user name or password: use basic_auth");

const Zoom = z.number().min(0.25).max(5).default(1).describe("1 is the original size of the page");

/** The fields of an item of type `web`. */
export const WebFields = {
  url: WebAddress.describe("The page, http or https. It is shown isolated from everything else"),
  zoom: Zoom,
  refresh_interval_ms: z
    .int()
    .min(5_000)
    .max(dayMs)
    .optional()
    .describe("How often the page is reloaded. The reload happens hidden; if it fails, the page on the screen stays. Default: never"),
  css: z.string().max(20_000).optional().describe("CSS that is added to the page"),
  headers: z
    .record(HeaderName, HeaderValue)
    .refine((headers) => Object.keys(headers).length <= 20, "must be at most 20 headers")
    .default({})
    .describe(`Sent with every request to the origin of \`url\`, and to no other. Values are write-only. ${maskDescription}`),
  basic_auth: z
    .strictObject({
      username: z
        .string()
        .min(1)
        .max(200)
        // oxlint-disable-next-line no-control-regex -- the pattern appears in the API description, so it uses plain ranges
        .regex(/^[^:\x00-\x1f\x7f-\x9f]*$/, "must not contain a colon or control characters"),
      password: z.string().max(1_000),
    })
    .optional()
    .describe(`Sent as \`Authorization\` to the origin of \`url\`, and to no other. The password is write-only. ${maskDescription}`),
};

/** An origin such as `https://api.example.com`. */
const Origin = WebAddress.refine(
  (url) => URL.canParse(url) && url.replace(/\/$/, "") === new URL(url).origin,
  "must be an origin without a path",
);

/** The fields of an item of type `html`, besides its asset: a zip with an `index.html`. */
export const HtmlFields = {
  zoom: Zoom,
  network: z
    .array(Origin)
    .max(20)
    .default([])
    .describe("Origins that the bundle may fetch from. Without them it can load only its own files"),
};

/** Why an iframe failed; see `IframeFault` of the host. */
export const IframeFaultCode = z.enum(["load", "timeout", "blank", "stalled", "crashed"]);
