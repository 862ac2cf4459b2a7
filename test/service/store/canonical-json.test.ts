// Digests of values, by which versions and drafts tell whether something has changed.
import { expect, test } from "vitest";
import { canonicalJson, digestOf } from "../../../src/service/store/canonical-json.ts";

test("[CAN1] the order of fields makes no difference, and every field, list and type does", () => {
  const parsed = (text: string): unknown => JSON.parse(text);
  expect(canonicalJson(parsed('{"b":[{"d":1,"c":2}],"a":null}'))).toBe('{"a":null,"b":[{"c":2,"d":1}]}');
  const different = ["{}", '{"__proto__":{"a":1}}', '{"__proto__":1}', '{"a":1}', '{"a":"1"}', '{"a":[1,2]}', '{"a":[2,1]}', "[]", "null"];
  expect(new Set(different.map((text) => digestOf(parsed(text)))).size).toBe(different.length);
});
