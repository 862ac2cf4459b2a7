// Damages JSON values as a broken disk or a hostile sender would: the same way for the same seed.

const long = "x".repeat(10_000);
/** Values that no field expects. As JSON text, so that `__proto__` stays a key. */
const oddValues = [
  ["null", "true", '""', "[]", "{}", "-1", "0", "0.1", "1e308", "-1e308", "9007199254740993", '"NaN"', '"__proto__"'],
  ['"\\u0000"', '"\\ud800"', '"../../etc/passwd"', '"2026-13-45T99:99:99Z"', '"9999-12-31T23:59:59Z"', `"${long}"`],
  ['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}'],
  [`${"[".repeat(500)}${"]".repeat(500)}`, `[${Array.from({ length: 2_000 }, () => "0").join(",")}]`],
].flat();

type Parent = Record<string, unknown>;

export class Damage {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A text of `value` with one to three damaged fields, one in four times with damaged characters too. */
  text(value: unknown): string {
    const copy = { root: structuredClone(value) };
    for (let left = 1 + this.#below(3); left > 0; left -= 1) this.#damageField(copy);
    const text = JSON.stringify(copy.root) ?? "";
    return this.#below(4) === 0 ? this.characters(text) : text;
  }

  /** `text` cut, with an altered, inserted or repeated part. */
  characters(text: string): string {
    const [from, to] = [this.#below(text.length + 1), this.#below(text.length + 1)].toSorted((a, b) => a - b) as [number, number];
    switch (this.#below(4)) {
      case 0:
        return text.slice(0, from);
      case 1:
        return text.slice(0, from) + String.fromCharCode(1 + this.#below(126)) + text.slice(from + 1);
      case 2:
        return text.slice(0, from) + text.slice(to);
      default:
        return (text.slice(0, to) + text.slice(from)).slice(0, 60_000);
    }
  }

  #damageField(root: Parent): void {
    const fields = fieldsOf(root);
    const { parent, key } = this.#pick(fields);
    switch (this.#below(4)) {
      case 0:
        // The root itself is replaced instead.
        if (parent !== root) delete parent[key];
        return;
      case 1:
        parent[key] = structuredClone(this.#pick(fields).parent);
        return;
      default:
        parent[key] = JSON.parse(this.#pick(oddValues));
    }
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  /** A whole number from 0 to `limit`, the limit excluded (mulberry32). */
  #below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
}

/** Every field of a value, at every depth that a real message has. */
function fieldsOf(value: object, depth = 0): { parent: Parent; key: string }[] {
  if (depth > 12) return [];
  const parent = value as Parent;
  return Object.keys(parent).flatMap((key) => {
    const inner = parent[key];
    const below = typeof inner === "object" && inner !== null ? fieldsOf(inner, depth + 1).slice(0, 500) : [];
    return [{ parent, key }, ...below];
  });
}
