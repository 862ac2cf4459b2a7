// Tells paths of this website from everything else that an address may say.

/** True if a text is a path of this website: `//elsewhere` and `/\elsewhere` are other websites to a browser, which also ignores tabs. */
export function isOwnPath(to: unknown): to is string {
  if (typeof to !== "string" || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) || !URL.canParse(to, location.origin)) return false;
  const { origin, pathname } = new URL(to, location.origin);
  return origin === location.origin && !pathname.startsWith("//");
}
