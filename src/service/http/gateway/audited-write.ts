// Describes an operator's write for the audit log. It records digests of the resource, not its content.
import type { OperatorContext } from "../../operations/context.ts";
import type { Operation } from "../../operations/operation.ts";
import { JsonResponse } from "../../operations/responses.ts";
import type { AuditedWrite } from "../../people/audit.ts";
import { digestOf } from "../../store/canonical-json.ts";
import { idOf } from "./operation-response.ts";

/** @param before the digest of the resource before the write, null if it is not known */
export function auditedWrite(
  operation: Operation,
  context: OperatorContext,
  params: unknown,
  before: string | null,
  result: unknown,
): AuditedWrite {
  const resource = result instanceof JsonResponse ? result.body : result;
  const lastParameter = Object.values((params ?? {}) as Record<string, string>).at(-1) ?? null;
  const hasVersion = operation.version !== undefined && !(result instanceof JsonResponse) && result !== undefined;
  return {
    teamId: context.teamId,
    userId: context.operator.userId,
    tokenId: context.tokenId,
    action: operation.name,
    resourceType: operation.tag,
    resourceId: idOf(resource) || lastParameter,
    before,
    after: hasVersion ? digestOf(operation.version!(result)) : null,
    address: context.address,
    requestId: context.requestId,
  };
}
