// What every editor of content has: the way to its versions.
import { Link } from "@tanstack/react-router";
import { useMay } from "../../data/session.ts";
import { drafts } from "../../i18n/en/drafts.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import "./editor-links.css";

const text = texts(drafts);

/** Leads to the versions of a playlist, a layout or a schedule. */
export function VersionsLink({ id }: { id: string }) {
  if (!useMay("versions:read")) return null;
  return (
    <Link to="/versions" search={{ of: id }} className="versions-link">
      <Icon name="history" />
      {text("versions")}
    </Link>
  );
}
