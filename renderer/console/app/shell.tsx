// The frame of all pages for a person who is signed in: navigation, search, and a banner while the service does not respond.
import { Link, Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { Button as AriaButton } from "react-aria-components";
import { useActions } from "../data/actions.ts";
import { needsApproval, useCollecting, useDraft, useIsSwitching, usePlaceKey } from "../data/draft.ts";
import { forgetPerson } from "../data/forget-person.ts";
import { keepFresh } from "../data/keep-fresh.ts";
import { sessionQuery } from "../data/session.ts";
import { texts } from "../i18n/texts.ts";
import { UploadsCorner } from "../pages/uploads/uploads-corner.tsx";
import { ShowCorner } from "../pages/show/show-corner.tsx";
import { Icon } from "../ui/icon.tsx";
import { AccountFace } from "./account-face.tsx";
import { focusHeadings, loadPages } from "./after-navigation.ts";
import { collectForApproval } from "./approvals.ts";
import { AwayBanner } from "./away-banner.tsx";
import { keepFocus } from "./keep-focus.ts";
import { listenForKeys, searchKeys, type Overlay } from "./keys.ts";
import { LinkNotices } from "./link-notices.tsx";
import { Navigation } from "./navigation.tsx";
import { ProofAsker } from "./proof-asker.tsx";
import { tellWholeTexts } from "./whole-texts.ts";

const text = texts("common");

// Loaded after the first picture of the page, which has no menu and no dialog yet.
const AccountMenu = lazy(async () => ({ default: (await import("./account-menu.tsx")).AccountMenu }));
const Palette = lazy(async () => ({ default: (await import("./palette/palette.tsx")).Palette }));
const BulkBar = lazy(async () => ({ default: (await import("../pages/bulk/bulk-bar.tsx")).BulkBar }));
const ApprovalBar = lazy(async () => ({ default: (await import("../pages/drafts/bar/approval-bar.tsx")).ApprovalBar }));
const DraftBar = lazy(async () => ({ default: (await import("../pages/drafts/bar/draft-bar.tsx")).DraftBar }));
const Shortcuts = lazy(async () => ({ default: (await import("./palette/shortcuts.tsx")).Shortcuts }));

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const router = useRouter();
  const draft = useDraft();
  const isSwitching = useIsSwitching();
  const placeKey = usePlaceKey();
  const isPlaceSettled = useCollecting(session);
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const owner = session == null ? null : `${session.team.id} ${session.user.id}`;
  useEffect(keepFresh, []);
  useEffect(collectForApproval, []);
  useEffect(() => (owner === null ? undefined : forgetPerson), [owner]);
  useEffect(() => focusHeadings(router), [router]);
  useEffect(() => {
    const lifetime = new AbortController();
    listenForKeys(router, setOverlay, lifetime.signal);
    keepFocus(lifetime.signal);
    void loadPages(router, lifetime.signal);
    tellWholeTexts(lifetime.signal);
    return () => lifetime.abort();
  }, [router]);
  useActions([{ id: "shortcuts", title: text("shortcuts"), icon: "settings", run: () => setOverlay("shortcuts") }]);
  const isSignedOut = session === null;
  useEffect(() => {
    if (isSignedOut) void navigate({ to: "/sign-in", search: { to: router.state.location.href } });
  }, [isSignedOut, navigate, router]);
  if (session === undefined || session === null) return null;
  const close = (): void => setOverlay(null);
  return (
    <div className="shell">
      <a
        className="skip-link pad-2-4 rounded raised shadow"
        href="#content"
        onClick={(event) => {
          // The page has a base address, against which the browser would resolve the link.
          event.preventDefault();
          document.querySelector<HTMLElement>("#content")?.focus();
        }}
      >
        {text("skipToContent")}
      </a>
      <header className="shell-side">
        <Link to="/" className="shell-brand row gap-2 large plain-link ink">
          <Icon name="brand" />
          <span>{text("product")}</span>
        </Link>
        <AriaButton className="shell-search" onPress={() => setOverlay("search")}>
          <Icon name="search" />
          <span className="shell-search-text grow text-start">{text("search")}</span>
          <span className="shell-search-keys" aria-hidden="true">
            {searchKeys.map((key) => (
              <kbd key={key}>{key}</kbd>
            ))}
          </span>
        </AriaButton>
        <Navigation />
        <Suspense fallback={<AccountFace session={session} />}>
          <AccountMenu session={session} onShortcuts={() => setOverlay("shortcuts")} />
        </Suspense>
      </header>
      <div className="shell-main">
        <AwayBanner />
        <LinkNotices session={session} />
        {/* The page comes together with the bar above it: if it moved down later, a tap that is under way would be lost. */}
        <Suspense fallback={null}>
          {draft !== null ? <DraftBar active={draft} /> : needsApproval(session) ? <ApprovalBar /> : null}
          <main id="content" className="shell-content" tabIndex={-1}>
            {/* The content of a page and the edits begun there belong to one draft. */}
            {isSwitching || !isPlaceSettled ? null : <Outlet key={placeKey} />}
          </main>
        </Suspense>
      </div>
      <UploadsCorner />
      <ShowCorner />
      <ProofAsker session={session} />
      <Suspense fallback={null}>
        <BulkBar />
      </Suspense>
      <Suspense fallback={null}>
        {overlay === "search" ? <Palette onClose={close} /> : null}
        {overlay === "shortcuts" ? <Shortcuts onClose={close} /> : null}
      </Suspense>
    </div>
  );
}
