// The headers of framed documents: what forbids framing taken out, what a site asks for put in. Pure.
import type { IframeSite } from "../../player/host.ts";

/** A header as DevTools tells it. */
export interface Header {
  name: string;
  value: string;
}

/** Whether these headers say who may frame the document. */
export function forbidsFraming(headers: readonly Header[]): boolean {
  return headers.some(({ name, value }) => /^x-frame-options$/i.test(name) || (isPolicy(name) && /\bframe-ancestors\b/i.test(value)));
}

/** The headers without X-Frame-Options and without the directive `frame-ancestors`; all other policy stays. */
export function withoutFramingRules(headers: readonly Header[]): Header[] {
  return headers.flatMap(({ name, value }) => {
    if (/^x-frame-options$/i.test(name)) return [];
    if (!isPolicy(name)) return [{ name, value }];
    // One header may hold several policies, parted by commas; a directive never holds one.
    const policies = value.split(",").map((policy) =>
      policy
        .split(";")
        .filter((directive) => !/^\s*frame-ancestors(\s|$)/i.test(directive))
        .join(";"),
    );
    const kept = policies.filter((policy) => policy.trim() !== "").join(",");
    return kept === "" ? [] : [{ name, value: kept }];
  });
}

/** The headers of a request to the site's origin with the site's own, which win; null when it has none or the request goes elsewhere. */
export function requestHeaders(site: IframeSite, url: string, headers: Readonly<Record<string, string>>): Header[] | null {
  const own = Object.entries(site.headers);
  if (own.length === 0 || originOf(url) !== originOf(site.url)) return null;
  const replaced = new Set(own.map(([name]) => name.toLowerCase()));
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()));
  return [...kept, ...own].map(([name, value]) => ({ name, value }));
}

/** Origin of an address; of what has none, such as `about:blank`, the text "null". */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "null";
}

function isPolicy(name: string): boolean {
  return /^content-security-policy$/i.test(name);
}
