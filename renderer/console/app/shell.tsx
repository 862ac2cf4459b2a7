// The frame of all pages for a person who is signed in: navigation, and a banner while the service does not respond.
import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { eventStream } from "../data/event-stream.ts";
import { keepFresh } from "../data/keep-fresh.ts";
import { sessionQuery } from "../data/session.ts";
import { common } from "../i18n/en/common.ts";
import { formatTime } from "../i18n/format.ts";
import { texts } from "../i18n/texts.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { AccountMenu } from "./account-menu.tsx";

const text = texts(common);
// Its dialogs are only needed when screens are selected.
const BulkBar = lazy(async () => ({ default: (await import("../pages/bulk/bulk-bar.tsx")).BulkBar }));

interface Area {
  to: "/";
  name: keyof typeof common;
  icon: IconName;
}

const areas: readonly Area[] = [{ to: "/", name: "screens", icon: "screens" }];

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  useEffect(keepFresh, []);
  const isSignedOut = session === null;
  useEffect(() => {
    if (isSignedOut) void navigate({ to: "/sign-in", search: { to: location.pathname + location.search } });
  }, [isSignedOut, navigate]);
  if (session === undefined || session === null) return null;
  return (
    <div className="shell">
      <a className="skip-link" href="#content">
        {text("skipToContent")}
      </a>
      <header className="shell-side">
        <Link to="/" className="shell-brand">
          <Icon name="brand" />
          <span>{text("product")}</span>
        </Link>
        <nav className="shell-nav" aria-label={text("navigation")}>
          {areas.map(({ to, name, icon }) => (
            <Link key={to} to={to} className="shell-link" activeOptions={{ exact: to === "/" }}>
              <Icon name={icon} />
              <span>{text(name)}</span>
            </Link>
          ))}
        </nav>
        <AccountMenu session={session} />
      </header>
      <div className="shell-main">
        <AwayBanner />
        <main id="content" className="shell-content" tabIndex={-1}>
          <Outlet />
        </main>
        <Suspense>
          <BulkBar />
        </Suspense>
      </div>
    </div>
  );
}

/** Says that the service does not respond, and since when. */
function AwayBanner() {
  const [awaySince, setAwaySince] = useState(eventStream.awaySince);
  useEffect(
    () =>
      eventStream.listen((news) => {
        if (news.is === "connection") setAwaySince(news.awaySince);
      }),
    [],
  );
  return (
    <div role="status" className="away-banner" data-shown={awaySince !== null}>
      {awaySince === null ? null : text("serviceAway", { time: formatTime(awaySince) })}
    </div>
  );
}
