// Reads through XML piece by piece, strictly: what a browser might read otherwise than we do is refused.

/** A start tag; entities in its values are decoded. */
export interface XmlTag {
  name: string;
  attributes: readonly (readonly [name: string, value: string])[];
}

interface Judges {
  /** What is wrong with a start tag, or null. */
  tag(tag: XmlTag): string | null;
  /** What is wrong with text (CDATA too) inside the element `inside`, or null. */
  text(text: string, inside: string): string | null;
}

const name = "[A-Za-z_][\\w.:-]*";
const tagPattern = new RegExp(`<(${name})((?:\\s+${name}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, "y");
const attributePattern = new RegExp(`(${name})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, "g");
const endPattern = new RegExp(`</(${name})\\s*>`, "y");
// A document type may name its public identifier; an internal subset could define entities.
const doctypePattern = /<!DOCTYPE\s+[^[\]<>]*>/y;
const maxDepth = 500;

/** Judges every tag and text of a document. @returns what is wrong, as words that follow its name; null when nothing is. */
export function scanXml(document: string, judges: Judges): string | null {
  const open: string[] = [];
  let at = document.startsWith("\uFEFF") ? 1 : 0;
  let roots = 0;
  while (at < document.length) {
    if (document[at] !== "<") {
      const end = nextOr(document, "<", at);
      const text = decode(document.slice(at, end));
      if (text === null) return "holds an entity that is not one of XML's own";
      if (open.length === 0 && text.trim() !== "") return "holds text outside its root";
      const wrong = judges.text(text, open.at(-1) ?? "");
      if (wrong !== null) return wrong;
      at = end;
    } else if (document.startsWith("<!--", at)) {
      const end = document.indexOf("-->", at + 4);
      if (end === -1) return "is cut short";
      at = end + 3;
    } else if (document.startsWith("<![CDATA[", at)) {
      const end = document.indexOf("]]>", at);
      if (end === -1) return "is cut short";
      const wrong = judges.text(document.slice(at + 9, end), open.at(-1) ?? "");
      if (wrong !== null) return wrong;
      at = end + 3;
    } else if (document.startsWith("<?", at)) {
      // Only the declaration: a style sheet instruction would fetch.
      if (!/^<\?xml\s/.test(document.slice(at, at + 6))) return "holds a processing instruction";
      const end = document.indexOf("?>", at);
      if (end === -1) return "is cut short";
      const declared = /encoding\s*=\s*["']([^"']*)["']/.exec(document.slice(at, end))?.[1];
      if (declared !== undefined && !/^(utf-?8|us-ascii)$/i.test(declared)) return `says that it is ${declared}, not UTF-8`;
      at = end + 2;
    } else if (document.startsWith("<!", at)) {
      const end = matchEnd(doctypePattern, document, at);
      if (end === null || roots > 0) return "declares entities or a document type of its own";
      at = end;
    } else if (document.startsWith("</", at)) {
      endPattern.lastIndex = at;
      const match = endPattern.exec(document);
      if (match === null || open.pop() !== match[1]) return "is not well-formed XML or is cut short";
      at = endPattern.lastIndex;
    } else {
      tagPattern.lastIndex = at;
      const match = tagPattern.exec(document);
      if (match === null) return "is not well-formed XML or is cut short";
      if (open.length === 0 && roots++ > 0) return "has more than one root";
      const attributes = attributesOf(match[2]!);
      if (attributes === null) return "holds an entity that is not one of XML's own";
      const wrong = judges.tag({ name: match[1]!, attributes });
      if (wrong !== null) return wrong;
      if (match[3] === "") open.push(match[1]!);
      if (open.length > maxDepth) return "is nested too deeply";
      at = tagPattern.lastIndex;
    }
  }
  return open.length === 0 && roots === 1 ? null : "is not well-formed XML or is cut short";
}

function attributesOf(text: string): (readonly [string, string])[] | null {
  const attributes: (readonly [string, string])[] = [];
  for (const [, attribute, double, single] of text.matchAll(attributePattern)) {
    const value = decode(double ?? single ?? "");
    if (value === null) return null;
    attributes.push([attribute!, value]);
  }
  return attributes;
}

const entities: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Text with its character references resolved; null when one is of the document's own making. */
function decode(text: string): string | null {
  let isKnown = true;
  const decoded = text.replace(/&(#x[0-9a-f]+|#\d+|\w+)?;?/gi, (_whole, reference: string | undefined) => {
    const code =
      reference?.startsWith("#x") || reference?.startsWith("#X") ? Number.parseInt(reference.slice(2), 16) : Number(reference?.slice(1));
    const value = reference?.startsWith("#") ? characterOf(code) : entities[reference ?? ""];
    if (value === undefined) isKnown = false;
    return value ?? "";
  });
  return isKnown ? decoded : null;
}

function characterOf(code: number): string | undefined {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function nextOr(text: string, what: string, at: number): number {
  const next = text.indexOf(what, at);
  return next === -1 ? text.length : next;
}
