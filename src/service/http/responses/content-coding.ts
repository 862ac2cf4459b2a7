// Reads which compression a client accepts.

/** True if an `Accept-Encoding` header accepts a coding (RFC 9110 section 12.5.3). Without the header, only the plain form is sent. */
export function acceptsCoding(header: string | readonly string[] | undefined, coding: "br" | "gzip"): boolean {
  const weights = new Map<string, number>();
  for (const part of String(header ?? "").split(",")) {
    const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
    const weight = parameters.find((each) => each.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}
