// Decides which tools are listed: by default those for everyday tasks, on request those of whole areas.
// The MCP specification of 2026-07-28 forbids that a list depends on earlier requests, so each request names its toolsets.
import { isToolset, toolsets, type Toolset } from "../../protocol/operator/toolsets.ts";
import { ProblemError } from "../http/problem.ts";
import type { Operation } from "../operations/operation.ts";

const tagsOf: Readonly<Record<Exclude<Toolset, "everyday" | "all">, readonly string[]>> = {
  players: ["players", "enrolment keys", "releases", "rollouts", "alerts", "commands", "screenshots", "logs"],
  content: ["shows", "assets", "uploads", "upload links", "playlists", "layouts", "previews", "drafts", "versions"],
  schedules: ["schedules", "calendars", "drafts", "versions"],
  records: ["play events", "report links", "audit"],
  webhooks: ["webhooks", "events"],
  people: ["teams", "members", "invitations", "users", "sessions", "tokens"],
};

/** Tools for everyday tasks: see the screens, show something, add content, find problems, prove plays. */
const everyday = [
  "show",
  "list_shows",
  "get_show_proof",
  "delete_show",
  "list_players",
  "get_player",
  "get_player_now",
  "list_troubled_players",
  "get_forecast",
  "send_command",
  "list_assets",
  "get_asset",
  "create_asset",
  "import_asset",
  "create_upload_link",
  "get_upload_link",
  "list_playlists",
  "list_layouts",
  "list_schedules",
  "get_proof_of_play",
];

/** True if an operation's tool belongs to a toolset. */
export function isInToolset(toolset: Toolset, { tag }: Operation, tool: string): boolean {
  if (toolset === "all") return true;
  return toolset === "everyday" ? everyday.includes(tool) : tagsOf[toolset].includes(tag);
}

/**
 * The toolsets of a request: from its query (`/mcp?toolsets=players,content`), else from its header `X-MCP-Toolsets`, else
 * `everyday`. `default` means `everyday` too.
 * @throws ProblemError 422 for an unknown toolset.
 */
export function requestedToolsets(query: unknown, header: string | undefined): readonly Toolset[] {
  const requested = typeof query === "object" && query !== null && "toolsets" in query ? String(query.toolsets) : header;
  const names = (requested ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim().toLowerCase()]));
  if (names.length === 0) return ["everyday"];
  const known = names.map((name) => (name === "default" ? "everyday" : name));
  const wrong = known.filter((name) => !isToolset(name));
  if (wrong.length === 0) return [...new Set(known.filter(isToolset))];
  const detail = `there is no toolset ${JSON.stringify(wrong[0])}: use a comma-separated list of ${toolsets.join(", ")}`;
  throw new ProblemError("invalid", `?toolsets: ${detail}`, { errors: [{ pointer: "?toolsets", detail }] });
}
