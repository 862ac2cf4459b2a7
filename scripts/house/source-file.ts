// Reads one TypeScript file: its lines of code, comments, imports, declared names and interfaces.
import { dirname, join } from "node:path/posix";
import { parseSync, Visitor } from "vite";

/** What the figures of `npm run house` need to know of a file. */
export interface SourceFile {
  /** From the root of the checkout, with `/`. */
  path: string;
  /** Lines as they stand in the file. */
  lines: number;
  /** The lines without comments and blank lines, each trimmed. */
  code: string[];
  /** Each line of each comment, without its marks. */
  commentLines: string[];
  /** The files of the checkout that it imports, as far as they are named with an extension. */
  imports: string[];
  /** Every name that the file declares: variables, parameters, functions, classes, members, fields. */
  names: string[];
  /** Each interface and object type, with the number of its fields. */
  interfaces: { name: string; fields: number }[];
  /** Each string literal and each property key. */
  words: string[];
}

interface Node {
  type: string;
  start: number;
  [field: string]: unknown;
}

/** The lines of a text that ends with a line end. */
export function countLines(text: string): number {
  return text.split("\n").length - 1;
}

/** Parses a file of TypeScript or TSX. Throws a `SyntaxError` that names the file if it does not parse. */
export function readSourceFile(path: string, text: string): SourceFile {
  const { program, comments, module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new SyntaxError(`${path}: ${errors[0]!.message}`);
  const names: string[] = [];
  const words: string[] = [];
  const interfaces: { name: string; fields: number }[] = [];
  const add = (node: unknown): void => void names.push(...boundNames(node as Node | null));
  new Visitor({
    VariableDeclarator: ({ id }) => add(id),
    FunctionDeclaration: ({ id, params }) => [id, ...params].forEach(add),
    FunctionExpression: ({ params }) => params.forEach(add),
    ArrowFunctionExpression: ({ params }) => params.forEach(add),
    ClassDeclaration: ({ id }) => add(id),
    MethodDefinition: ({ key }) => add(key),
    PropertyDefinition: ({ key }) => add(key),
    TSPropertySignature: ({ key }) => add(key),
    TSMethodSignature: ({ key }) => add(key),
    TSInterfaceDeclaration: ({ id, body }) => void interfaces.push({ name: id.name, fields: body.body.length }),
    TSTypeAliasDeclaration: ({ id, typeAnnotation: type }) => {
      if (type.type === "TSTypeLiteral") interfaces.push({ name: id.name, fields: type.members.length });
    },
    Literal: ({ value }) => void (typeof value === "string" && words.push(value)),
    Property: ({ key }) => void (key.type === "Identifier" && words.push(key.name)),
  }).visit(program);
  const imports = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...reexports(program.body as unknown as Node[]),
  ];
  return {
    path,
    lines: countLines(text),
    code: codeLines(text, comments),
    commentLines: comments.flatMap(({ value }) => value.split("\n").map((line) => line.replace(/^[\s*]+/, "").trim())).filter(Boolean),
    imports: [...new Set(imports)].filter((name) => name.startsWith(".")).map((name) => join(dirname(path), name)),
    names,
    interfaces,
    words,
  };
}

function reexports(body: Node[]): string[] {
  return body.flatMap(({ type, source }) => (/^Export(Named|All)/.test(type) && source ? [(source as { value: string }).value] : []));
}

/** The identifiers that a binding pattern or a key declares. */
function boundNames(node: Node | null): string[] {
  if (node === null) return [];
  // The fields of the nodes that hold other nodes: patterns, defaults, rests, parameters that are fields.
  const inner = [node["properties"], node["elements"], node["value"], node["left"], node["argument"], node["parameter"]].flat();
  const own = /^(Private)?Identifier$/.test(node.type) ? [node["name"] as string] : [];
  return [...own, ...inner.filter(isNode).flatMap(boundNames)];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function codeLines(text: string, comments: readonly { start: number; end: number }[]): string[] {
  let code = "";
  let from = 0;
  for (const { start, end } of comments) {
    // The line ends of a comment stay, so that the lines before and after it do not become one.
    code += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, "");
    from = end;
  }
  // Of a comment in JSX only its braces are left.
  const all = (code + text.slice(from)).split("\n").map((line) => line.trim());
  return all.filter((line) => line !== "" && line !== "{}");
}
