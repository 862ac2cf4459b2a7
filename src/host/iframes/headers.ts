// Headers of documents in iframes: removes those that forbid framing, and adds a site's own. Pure.
import type { IframeSite } from "../../player/host.ts";

/** A header as reported by DevTools. */
export interface Header {
  name: string;
  value: string;
}

/** True if these headers restrict the sites that may frame the document. */
export function forbidsFraming(headers: readonly Header[]): boolean {
  return headers.some(({ name, value }) => /^x-frame-options$/i.test(name) || (isPolicy(name) && /\bframe-ancestors\b/i.test(value)));
}

/** The headers without X-Frame-Options and the directive `frame-ancestors`; the rest of the policy is kept. */
export function withoutFramingRules(headers: readonly Header[]): Header[] {
  return headers.flatMap(({ name, value }) => {
    if (/^x-frame-options$/i.test(name)) return [];
    if (!isPolicy(name)) return [{ name, value }];
    // A header may contain several policies separated by commas; a directive contains no comma.
    const policies = value.split(",").map((policy) =>
      policy
        .split(";")
        .filter((directive) => !/^\s*frame-ancestors(\s|$)/i.test(directive))
        .join(";"),
    );
    const rest = policies.filter((policy) => policy.trim() !== "").join(",");
    return rest === "" ? [] : [{ name, value: rest }];
  });
}

/** The request's headers with the site's own, which take precedence; null when it has none or the request goes to another origin. */
export function requestHeaders(site: IframeSite, url: string, headers: Readonly<Record<string, string>>): Header[] | null {
  const own = Object.entries(site.headers);
  if (own.length === 0 || originOf(url) !== originOf(site.url)) return null;
  const ownNames = new Set(own.map(([name]) => name.toLowerCase()));
  const others = Object.entries(headers).filter(([name]) => !ownNames.has(name.toLowerCase()));
  return [...others, ...own].map(([name, value]) => ({ name, value }));
}

/** The origin of an address; "null" for addresses without one, such as `about:blank`. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "null";
}

function isPolicy(name: string): boolean {
  return /^content-security-policy$/i.test(name);
}
