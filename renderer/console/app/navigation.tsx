// The main navigation: at the side, and on a phone at the bottom, where a list has the areas for which there is no room.
import { Link, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useProposalCount } from "../data/draft.ts";
import { useMay } from "../data/session.ts";
import { useTroubledCount } from "../data/troubled.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { groups, placesOf, type Place } from "./places.ts";

const text = texts("common");
/** As many as fit beside each other on the narrowest phone. */
const mostOnPhone = 5;

export function Navigation() {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const areas = groups.flatMap((group) => placesOf(router).filter((place) => place.group === group));
  const hasMore = areas.length > mostOnPhone;
  const inMore = new Set(hasMore ? areas.slice(mostOnPhone - 1) : []);
  return (
    // Escape in any of its links closes the list: the element itself is not operated.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <nav
      className="shell-nav"
      aria-label={text("navigation")}
      data-more={hasMore}
      data-open={isOpen}
      onKeyDown={({ key }) => (key === "Escape" ? setIsOpen(false) : undefined)}
    >
      {groups.map((group) => (
        <div key={group} className="shell-group" role="group" aria-label={text(group)}>
          <span className="shell-group-name tiny strong faint" aria-hidden="true">
            {text(group)}
          </span>
          {areas.map((area) =>
            area.group === group ? (
              <AreaLink key={area.to} area={area} isInMore={inMore.has(area)} onPress={() => setIsOpen(false)} />
            ) : null,
          )}
        </div>
      ))}
      {hasMore ? (
        <Button kind="quiet" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
          <Icon name="more" />
          {text("more")}
        </Button>
      ) : null}
    </nav>
  );
}

interface AreaLinkProps {
  area: Place;
  /** On a phone it is in the list "More". */
  isInMore: boolean;
  onPress: () => void;
}

function AreaLink({ area: { to, name, icon }, isInMore, onPress }: AreaLinkProps) {
  return (
    <Link
      to={to as "/"}
      className="shell-link"
      data-more={isInMore}
      activeOptions={{ exact: to === "/", includeSearch: false }}
      onClick={onPress}
    >
      <Icon name={icon} />
      <span>{text(name)}</span>
      {to === "/" ? <TroubledCount /> : null}
      {to === "/drafts" ? <ProposalCount /> : null}
    </Link>
  );
}

/** The number of screens that are wrong, so that nobody needs to look for them. */
function TroubledCount() {
  const count = useTroubledCount(useMay("players:read"));
  if (count === undefined || count === 0) return null;
  return (
    <span className="shell-count">
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{text("troubled", { count })}</span>
    </span>
  );
}

/** The number of proposals that wait for a decision of the person. */
function ProposalCount() {
  const count = useProposalCount();
  if (count === 0) return null;
  return (
    <span className="shell-count" data-kind="accent">
      <span aria-hidden="true">{count}</span>
      <span className="visually-hidden">{text("proposals", { count })}</span>
    </span>
  );
}
