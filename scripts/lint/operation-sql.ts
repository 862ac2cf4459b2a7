// A linter rule for operations: the SQL of an area stands in its stores. Loaded by .oxlintrc.json.
import type { Context, Node } from "./rule.ts";

const queries = /^(selectFrom|insertInto|updateTable|deleteFrom|selectAll|where|execute|executeTakeFirst|executeTakeFirstOrThrow)$/;
const message = "An operation holds no SQL: move the query to a store of its area.";

const operationSql = {
  create(context: Context) {
    return {
      ImportDeclaration(node: Node) {
        if (node.source!.value === "kysely") context.report({ node, message });
      },
      CallExpression(node: Node) {
        if (node.callee!.type === "MemberExpression" && queries.test(node.callee!.property!.name ?? "")) context.report({ node, message });
      },
    };
  },
};

export default { meta: { name: "signage-service" }, rules: { "operation-sql": operationSql } };
