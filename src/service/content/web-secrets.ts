// The secrets of web items: written by operators, read by players alone. Operators see a mask, and may send it back.
import type { NewPlaylistItem, PlaylistItem } from "../../protocol/content/items.ts";
import { secretMask } from "../../protocol/content/web-items.ts";
import type { FieldError } from "../http/problem.ts";

type WebItem = Extract<NewPlaylistItem, { type: "web" }>;

/** The item as an operator may see it: values of `headers` and the password of `basic_auth` are masked. */
export function maskSecrets<Item extends NewPlaylistItem>(item: Item): Item {
  return item.type === "web" ? { ...item, ...mapSecrets(item, () => secretMask) } : item;
}

/**
 * The items with each mask replaced by what it stands for: the value that the playlist holds for the same secret, in the
 * item of the same id or else in any, of a page of the same origin. With another origin a secret would be sent to whoever
 * the new address belongs to. What no single value is known for is an error, by its pointer.
 */
export function unmaskSecrets<Item extends NewPlaylistItem>(
  sent: readonly Item[],
  before: readonly PlaylistItem[],
): { items: Item[]; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const items = sent.map((item, index) => {
    if (item.type !== "web") return item;
    const sameSite = before.filter((old) => old.type === "web" && originOf(old) === originOf(item)) as WebItem[];
    const keep = (path: string, value: string): string => {
      if (value !== secretMask) return value;
      const own = sameSite.filter(({ id }) => id === item.id).flatMap((old) => secretAt(old, path));
      const known = new Set(own.length > 0 ? own : sameSite.flatMap((old) => secretAt(old, path)));
      const [only] = known;
      if (only !== undefined && known.size === 1) return only;
      const why = known.size === 0 ? "none is stored for this item's origin" : "this playlist holds several for this origin";
      errors.push({
        pointer: `/items/${index}${path}`,
        detail: `“${secretMask}” stands for a stored secret, and ${why}: send the secret itself`,
      });
      return value;
    };
    return { ...item, ...mapSecrets(item, keep) };
  });
  return { items, errors };
}

/** Both fields that hold secrets, each secret changed by `map`, which is told its pointer within the item. */
function mapSecrets({ headers, basic_auth }: WebItem, map: (path: string, value: string) => string): Partial<WebItem> {
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, map(headerPath(name), value)])),
    ...(basic_auth && { basic_auth: { ...basic_auth, password: map(passwordPath, basic_auth.password) } }),
  };
}

const passwordPath = "/basic_auth/password";
const headerPath = (name: string): string => `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

function secretAt(item: WebItem, path: string): string[] {
  const found: string[] = [];
  mapSecrets(item, (at, value) => {
    // Names of headers are equal in any case.
    if (at.toLowerCase() === path.toLowerCase()) found.push(value);
    return value;
  });
  return found;
}

function originOf({ url }: WebItem): string {
  return new URL(url).origin;
}
