// Which versions of nats-server the service accepts.

/** CVE-2023-47090: before 2.9.23 and 2.10.2 a client without a password may act as a server's own account. */
const oldest = [2, 10, 2] as const;
/** CVE-2026-58253 (authentication of routes, with no_auth_user) is fixed from these versions on. */
const advised = [
  [2, 11, 16],
  [2, 12, 7],
  [2, 14, 0],
] as const;

export type NatsVersionVerdict = { is: "good" } | { is: "advised-against" | "refused"; reason: string };

/** @param version such as `2.10.29` */
export function judgeNatsVersion(version: string): NatsVersionVerdict {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (parts === undefined) return { is: "refused", reason: `nats-server has the unknown version "${version}"` };
  if (compare(parts, oldest) < 0) {
    return {
      is: "refused",
      reason: `nats-server ${version} has known security holes (CVE-2023-47090): install 2.11.16, 2.12.7, 2.14.0 or newer`,
    };
  }
  const ofSameBranch = advised.find(([major, minor]) => parts[0] === major && parts[1] === minor);
  const isFixed = ofSameBranch === undefined ? compare(parts, advised.at(-1)!) >= 0 : compare(parts, ofSameBranch) >= 0;
  if (isFixed) return { is: "good" };
  return {
    is: "advised-against",
    reason: `nats-server ${version} has a known security hole (CVE-2026-58253): install 2.11.16, 2.12.7, 2.14.0 or newer`,
  };
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [place, part] of other.entries()) if (one[place] !== part) return (one[place] ?? 0) - part;
  return 0;
}
