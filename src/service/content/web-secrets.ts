// Masks the secrets of web items. Operators write secrets but read only a mask, which they may send back; players read the secrets.
import type { NewPlaylistItem, PlaylistItem } from "../../protocol/content/items.ts";
import { secretMask } from "../../protocol/content/web-items.ts";
import type { FieldError } from "../http/problem.ts";

type WebItem = Extract<NewPlaylistItem, { headers: unknown }>;

/** Masks the values of `headers` and the password of `basic_auth`. */
export function maskSecrets<Item extends NewPlaylistItem>(item: Item): Item {
  return "headers" in item ? { ...item, ...mapSecrets(item, () => secretMask) } : item;
}

/**
 * Replaces each mask in `sent` by the secret that the playlist stores. It looks in the item with the same id, then in all items,
 * but only in items of the same origin: a new origin must not receive the secret. A mask without exactly one stored secret is an
 * error.
 */
export function unmaskSecrets<Item extends NewPlaylistItem>(
  sent: readonly Item[],
  before: readonly PlaylistItem[],
): { items: Item[]; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const items = sent.map((item, index) => {
    if (!("headers" in item)) return item;
    const sameOrigin = before.filter((old) => "headers" in old && originOf(old) === originOf(item)) as WebItem[];
    const unmask = (path: string, value: string): string => {
      if (value !== secretMask) return value;
      const own = sameOrigin.filter(({ id }) => id === item.id).flatMap((old) => secretsAt(old, path));
      const stored = new Set(own.length > 0 ? own : sameOrigin.flatMap((old) => secretsAt(old, path)));
      const [only] = stored;
      if (only !== undefined && stored.size === 1) return only;
      const reason = stored.size === 0 ? "none is stored for this item's origin" : "this playlist has several for this origin";
      errors.push({
        pointer: `/items/${index}${path}`,
        detail: `“${secretMask}” stands for a stored secret, but ${reason}: send the secret itself`,
      });
      return value;
    };
    return { ...item, ...mapSecrets(item, unmask) };
  });
  return { items, errors };
}

/** The two fields that hold secrets, with each secret replaced by `map(pointer, secret)`. The pointer is relative to the item. */
function mapSecrets({ headers, basic_auth }: WebItem, map: (path: string, value: string) => string): Partial<WebItem> {
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, map(headerPath(name), value)])),
    ...(basic_auth && { basic_auth: { ...basic_auth, password: map(passwordPath, basic_auth.password) } }),
  };
}

const passwordPath = "/basic_auth/password";
const headerPath = (name: string): string => `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

function secretsAt(item: WebItem, path: string): string[] {
  const found: string[] = [];
  mapSecrets(item, (at, value) => {
    // Header names ignore case.
    if (at.toLowerCase() === path.toLowerCase()) found.push(value);
    return value;
  });
  return found;
}

function originOf({ url }: WebItem): string {
  return new URL(url).origin;
}
