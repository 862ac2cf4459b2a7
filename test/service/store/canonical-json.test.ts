// Digests of values, by which versions and drafts tell whether something has changed.
import { expect, test } from "vitest";
import { canonicalJson, digestOf } from "../../../src/service/store/canonical-json.ts";

test("[CAN1] a value's digest does not depend on the order of its fields, and depends on every field, list and type", () => {
  const parsed = (text: string): unknown => JSON.parse(text);
  expect(canonicalJson(parsed('{"b":[{"d":1,"c":2}],"a":null}'))).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  const different = ["{}", '{"__proto__":{"a":1}}', '{"__proto__":1}', '{"a":1}', '{"a":"1"}', '{"a":[1,2]}', '{"a":[2,1]}', "[]", "null"];
  expect(new Set(different.map((text) => digestOf(parsed(text)))).size).toBe(different.length);
});
