// The links of every editor of content: to its versions, with the person who changed it last.
import { Link } from "@tanstack/react-router";
import { useDraft } from "../../data/draft.ts";
import { useLastChange } from "../../data/last-change.ts";
import { useMay } from "../../data/session.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Icon } from "../../ui/icon.tsx";
import "./editor-links.css";

const text = texts("drafts");

/** Leads to the versions of a playlist, a layout or a schedule, and says who changed it last: others may change it while it is open. */
export function VersionsLink({ id }: { id: string }) {
  const change = useLastChange(id);
  const isOfDraft = useDraft() !== null;
  if (!useMay("versions:read")) return null;
  return (
    <span className="versions-facts inline-row shrink">
      <Link to="/versions" search={{ of: id }} className="inline-row gap-1 medium tap">
        <Icon name="history" />
        {text("versions")}
      </Link>
      {isOfDraft ? null : (
        <span className="faint last-change truncate">
          {change === undefined ? null : (
            <>
              {change.isOwn ? text("changedByYou") : text("changedBy", { name: change.name })}, <Age time={change.at} />
            </>
          )}
        </span>
      )}
    </span>
  );
}
