// The types of an OpenAPI document, as far as this service uses them.

/** Any JSON object. */
export type Json = Record<string, unknown>;

/** A JSON Schema (2020-12), or a reference to one. */
export interface Schema extends Json {
  $ref?: string;
  type?: string | string[];
  pattern?: string;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  description?: string;
}

/** One method of one path. */
export interface DescribedOperation extends Json {
  operationId: string;
  tags: string[];
  parameters?: Json[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, Json>;
  security?: Record<string, string[]>[];
}

/** The document. */
export interface Document extends Json {
  info: { title: string; version: string } & Json;
  servers: { url: string; description: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Json>;
    parameters: Record<string, Json>;
    headers: Record<string, Json>;
  } & Json;
}

/** `some_name`, `Some-Name` or `some-name` as `SomeName`. */
export function pascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "")
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join("");
}
