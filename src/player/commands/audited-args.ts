// The arguments of a command as the audit log records them: short, and without values that may be secret. Pure.

// Texts that are sent to a wired display or to a script may hold a password, and nothing marks it.
const secretNames = /pass|secret|token|key|psk|credential|auth|cookie|pin$|^text$|^hex$|^argv$/i;
const maxTextLength = 200;
const maxListed = 50;
const maxDepth = 5;

/** @returns a copy in which secrets are `[cut]`, long texts and lists end early, and URLs have neither user, query nor fragment. */
export function auditedArgs(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return cutRecord(args, 0);
}

function cutRecord(record: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const entries = Object.entries(record).slice(0, maxListed);
  return Object.fromEntries(entries.map(([name, value]) => [name, secretNames.test(name) ? "[cut]" : cutValue(value, depth + 1)]));
}

function cutValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return cutText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) return "[cut]";
  if (Array.isArray(value)) return value.slice(0, maxListed).map((each: unknown) => cutValue(each, depth + 1));
  return cutRecord(value as Record<string, unknown>, depth);
}

function cutText(text: string): string {
  const plain = URL.canParse(text) && /^[a-z+]+:\/\//i.test(text) ? cutUrl(new URL(text)) : text;
  return plain.length > maxTextLength ? `${plain.slice(0, maxTextLength)}[cut]` : plain;
}

function cutUrl(url: URL): string {
  for (const part of ["username", "password", "search", "hash"] as const) url[part] = "";
  return url.href;
}
