// The toolsets that an MCP client can request.

/** Several can be combined; the default is `everyday`. */
export const toolsets = ["everyday", "players", "content", "schedules", "records", "webhooks", "people", "all"] as const;
export type Toolset = (typeof toolsets)[number];

/** True for the name of a toolset. */
export function isToolset(name: string): name is Toolset {
  return (toolsets as readonly string[]).includes(name);
}
