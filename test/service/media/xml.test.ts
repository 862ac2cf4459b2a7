// The XML checker behind SVG uploads: the documents that it accepts, and those that browsers might read differently.
import { expect, test } from "vitest";
import { findXmlProblem, type XmlChecks } from "../../../src/service/media/formats/xml.ts";

const accept: XmlChecks = { checkTag: () => null, checkText: () => null };
const nested = (depth: number): string => "<g>".repeat(depth) + "</g>".repeat(depth);

test("[AST9] a well-formed document is accepted, and its tags and texts are checked decoded", () => {
  const tags: string[] = [];
  const texts: string[] = [];
  const checks: XmlChecks = {
    checkTag: ({ name, attributes }) => (tags.push(`${name} ${JSON.stringify(attributes)}`), null),
    checkText: (text, element) => (texts.push(`${element}: ${text}`), null),
  };
  const document = `\uFEFF<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg PUBLIC "a" "b"><!-- c -->
<svg a="&lt;&#65;"><t>1<!-- 2 -->3<u/><![CDATA[<4>]]></t></svg>
`;
  expect(findXmlProblem(document, checks)).toBeNull();
  expect(tags).toEqual(['svg {"a":"<A"}', "t {}", "u {}"]);
  expect(texts).toEqual(["u: ", "t: 13<4>", "svg: "]);
  expect(findXmlProblem(nested(500), accept)).toBeNull();
});

test("[AST10] a document that browsers might read differently is rejected with the reason", () => {
  const malformed = /not well-formed XML or is truncated/;
  for (const [document, problem] of [
    [nested(501), /nested too deeply/],
    ['<?xml version="1.0" encoding="UTF-16"?><svg/>', /UTF-16, not UTF-8/],
    ['<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', /entities/],
    ["<svg>&a;</svg>", /entity/],
    ["<svg a='&nbsp;'/>", /entity/],
    ["<?xml-stylesheet href='a'?><svg/>", /processing instruction/],
    ["<svg><?php ?></svg>", /processing instruction/],
    ["<svg/><svg/>", malformed],
    ["text<svg/>", malformed],
    ["<svg/>text", malformed],
    ["<svg><g></svg>", malformed],
    ["<svg", malformed],
    ["<svg><!--", malformed],
    ["<svg><![CDATA[", malformed],
    ["<svg a='1' a='2'/>", malformed],
    ["<svg a=1/>", malformed],
    ["<svg>]]></svg>", malformed],
    ["", malformed],
  ] as const)
    expect([document.slice(0, 40), findXmlProblem(document, accept)]).toEqual([document.slice(0, 40), expect.stringMatching(problem)]);
});

test("[AST10] the first problem of a check rejects the document", () => {
  const checks: XmlChecks = {
    checkTag: ({ name }) => (name === "script" ? "contains <script>" : null),
    checkText: (text) => (text.includes("@import") ? "imports" : null),
  };
  expect(findXmlProblem("<svg><script/></svg>", checks)).toBe("contains <script>");
  expect(findXmlProblem("<svg><style>@im<!-- -->port</style></svg>", checks)).toBe("imports");
});
