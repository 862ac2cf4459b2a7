// The sets of tools that an agent may ask for over MCP.

/** Several may be asked for at once; without any, `everyday`. */
export const toolsets = ["everyday", "players", "content", "schedules", "records", "webhooks", "people", "all"] as const;
export type Toolset = (typeof toolsets)[number];

/** Whether a word names a toolset. */
export function isToolset(name: string): name is Toolset {
  return (toolsets as readonly string[]).includes(name);
}
