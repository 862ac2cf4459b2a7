// A linter rule for the code: no comparison of an item's type. A kind of item is an entry of the records of kinds, which the compiler
// keeps complete (docs/architecture.md, “An item kind”). Loaded by .oxlintrc.json.
import { itemTypes } from "../../src/protocol/content/item-kinds.ts";
import type { Context, Node } from "./rule.ts";

const names = new Set<unknown>(itemTypes);
const message =
  "Add a property to the record of item kinds and read that: a comparison of an item's type is forgotten when a kind is added.";

const noComparison = {
  create(context: Context) {
    return {
      BinaryExpression(node: Node) {
        const { left, right, operator } = node;
        if (/^[!=]==?$/.test(operator!) && ((isType(left!) && isName(right!)) || (isType(right!) && isName(left!))))
          context.report({ node, message });
      },
      SwitchStatement(node: Node) {
        if (!isType(node.discriminant!)) return;
        for (const each of node.cases!) if (each.test != null && isName(each.test)) context.report({ node: each, message });
      },
    };
  },
};

/** `type`, or the type of anything but a message: messages have types of the same names. */
function isType(node: Node): boolean {
  if (node.type === "Identifier") return node.name === "type";
  return node.type === "MemberExpression" && node.property!.name === "type" && node.object!.name !== "message";
}

function isName(node: Node): boolean {
  return node.type === "Literal" && names.has(node.value);
}

export default { meta: { name: "item-kinds" }, rules: { "no-comparison": noComparison } };
