// Checks the tags and texts of an XML document, strictly: anything that browsers might parse differently is a problem.
import { SaxesParser } from "saxes";

/** A start tag; entities in its attribute values are decoded. */
export interface XmlTag {
  name: string;
  attributes: Readonly<Record<string, string>>;
}

/** The checks of a document. Each returns the problem as a phrase that follows the document's name, or null. */
export interface XmlChecks {
  checkTag: (tag: XmlTag) => string | null;
  /** `text` is all text directly inside the element, CDATA included, without comments and child elements. */
  checkText: (text: string, element: string) => string | null;
}

const maxDepth = 500;

class XmlProblem extends Error {}

/** Checks every tag and text of `document`. @returns the first problem, or null. */
export function findXmlProblem(document: string, { checkTag, checkText }: XmlChecks): string | null {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const open: { name: string; text: string }[] = [];
  const fail = (problem: string | null): void => {
    if (problem !== null) throw new XmlProblem(problem);
  };
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on("xmldecl", ({ encoding = "UTF-8" }) =>
    fail(/^(utf-?8|us-ascii)$/i.test(encoding) ? null : `says that it is ${encoding}, not UTF-8`),
  );
  // A document type may name its public identifier, but its internal subset could define entities.
  parser.on("doctype", (doctype) => fail(doctype.includes("[") ? "declares entities or a document type of its own" : null));
  // A style sheet instruction would fetch a resource.
  parser.on("processinginstruction", () => fail("contains a processing instruction"));
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("opentag", ({ name, attributes }) => {
    fail(checkTag({ name, attributes }));
    open.push({ name, text: "" });
    if (open.length > maxDepth) fail("is nested too deeply");
  });
  parser.on("closetag", () => {
    const { name, text } = open.pop()!;
    fail(checkText(text, name));
  });
  try {
    // Without an error handler the parser throws its errors.
    parser.write(document).close();
    return null;
  } catch (error) {
    if (error instanceof XmlProblem) return error.message;
    if (error instanceof Error && /entity/.test(error.message)) return "contains an entity that XML does not define";
    return "is not well-formed XML or is truncated";
  }
}
