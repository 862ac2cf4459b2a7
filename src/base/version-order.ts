// Compares versions by the precedence of SemVer 2.0.

/**
 * Below 0 if `a` is older than `b`, above 0 if it is newer, 0 if they are equal. Both are `MAJOR.MINOR.PATCH`, or with the suffix of a
 * pre-release, which is older than the release itself. @see https://semver.org/spec/v2.0.0.html#spec-item-11
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < 3; at += 1) {
    const difference = Number(one.numbers[at]) - Number(other.numbers[at]);
    if (difference !== 0) return difference;
  }
  if (one.suffix === null || other.suffix === null) return Number(one.suffix === null) - Number(other.suffix === null);
  return compareSuffixes(one.suffix, other.suffix);
}

function partsOf(version: string): { numbers: string[]; suffix: string[] | null } {
  const at = version.indexOf("-");
  const core = at < 0 ? version : version.slice(0, at);
  return { numbers: core.split("."), suffix: at < 0 ? null : version.slice(at + 1).split(".") };
}

function compareSuffixes(a: readonly string[], b: readonly string[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const [one, other] = [a[at], b[at]];
    // The suffix with more parts is newer if all parts before are equal.
    if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
    if (one === other) continue;
    const [oneIsNumber, otherIsNumber] = [isNumber(one), isNumber(other)];
    if (oneIsNumber && otherIsNumber) return Number(one) - Number(other);
    // Numbers are older than texts.
    if (oneIsNumber !== otherIsNumber) return oneIsNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

function isNumber(part: string): boolean {
  return /^\d+$/.test(part);
}
