// The parts of a linter's rule that the rules of this folder use.

/** The part of ESLint's rule context that is used here; oxlint's plugins have the same interface. */
export interface Context {
  report(finding: { node: unknown; message: string }): void;
}

/** A node of the syntax tree, as the ESTree specification names its fields. */
export interface Node {
  type: string;
  name?: string;
  value?: unknown;
  operator?: string;
  callee?: Node;
  object?: Node;
  property?: Node;
  left?: Node;
  right?: Node;
  source?: Node;
  specifiers?: Node[];
  imported?: Node;
  key?: Node;
  arguments?: Node[];
  properties?: Node[];
  discriminant?: Node;
  cases?: Node[];
  test?: Node | null;
}
