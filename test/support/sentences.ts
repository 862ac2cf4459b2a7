// Finds the sentences in TypeScript code that people read: string literals outside of documentation, logs and code.

/** A string literal, its line, and whether people read it where it stands. */
export interface Literal {
  text: string;
  line: number;
  isForPeople: boolean;
}

interface Frame {
  /** What stands before the bracket: the name of a call. */
  name: string;
  /** The property that is being written, if the bracket is an object. */
  key: string;
}

const documents = /(^|\.)(describe|meta|register)$/;
const logs = /\blog\??\.(debug|info|warn|error|fatal)$/;
const documentKeys = new Set(["summary", "description", "agent", "help", "headers"]);

/** The string literals of a TypeScript file. Template literals are one literal for each part between their expressions. */
export function literalsOf(source: string): Literal[] {
  const found: Literal[] = [];
  const frames: Frame[] = [{ name: "", key: "" }];
  let line = 1;
  let code = "";
  let at = 0;
  const top = (): Frame => frames.at(-1)!;
  const add = (text: string): void => {
    const isDocumentation = frames.some(({ name, key }) => documents.test(name) || logs.test(name) || documentKeys.has(key));
    found.push({ text, line, isForPeople: !isDocumentation });
    line += text.split("\n").length - 1;
  };
  const template = (): void => {
    let text = "";
    for (at += 1; at < source.length && source[at] !== "`"; at += 1) {
      if (source[at] === "\\") text += source[++at] ?? "";
      else if (source.startsWith("${", at)) {
        add(text);
        text = "";
        at += 2;
        scan("}");
      } else text += source[at];
    }
    add(text);
    at += 1;
  };
  const scan = (end: string | null): void => {
    const depth = frames.length;
    while (at < source.length) {
      const char = source[at]!;
      if (source.startsWith("//", at)) at = source.indexOf("\n", at) === -1 ? source.length : source.indexOf("\n", at);
      else if (source.startsWith("/*", at)) {
        const close = source.indexOf("*/", at) + 2;
        line += source.slice(at, close).split("\n").length - 1;
        at = close;
      } else if (char === "/" && /(^|[(,=:[!&|?{};+]|\breturn|=>)\s*$/.test(code)) {
        at = endOfPattern(source, at);
        code += "0";
      } else if (char === "`") {
        template();
        code += "0";
      } else if (char === '"' || char === "'") {
        let text = "";
        for (at += 1; at < source.length && source[at] !== char; at += 1) text += source[at] === "\\" ? source[++at] : source[at];
        at += 1;
        add(text);
        code += "0";
      } else if (char === "}" && end === "}" && frames.length === depth) {
        code = "0";
        return;
      } else {
        if ("([{".includes(char)) frames.push({ name: /(?<![\w.?#])([\w.?#]+)(?:<[^<>]*>)?$/.exec(code)?.[1] ?? "", key: "" });
        else if (")]}".includes(char) && frames.length > 1) frames.pop();
        else if (char === ",") top().key = "";
        else if (char === ":") top().key = /[{,(]\s*(\w+)\s*$/.exec(code)?.[1] ?? top().key;
        else if (char === ";") top().key = "";
        else if (char === "\n") line += 1;
        code += char;
        if (code.length > 200) code = code.slice(-80);
        at += 1;
      }
    }
  };
  scan(null);
  return found;
}

/** The end of a regular expression that begins at `start`. */
function endOfPattern(source: string, start: number): number {
  let isInClass = false;
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at];
    if (char === "\\") at += 1;
    else if (char === "[") isInClass = true;
    else if (char === "]") isInClass = false;
    else if (char === "/" && !isInClass) return at + 1;
    else if (char === "\n") return start + 1;
  }
  return source.length;
}
