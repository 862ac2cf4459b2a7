// The parts of an area, each with its own address. On a phone they are scrolled sideways.
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef, type ComponentProps } from "react";
import "./page-tabs.css";

export interface PageTab {
  /** The part has the same filters: they stay in the address. */
  keepsSearch?: true;
  to: NonNullable<ComponentProps<typeof Link>["to"]>;
  name: string;
}

export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }) {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    nav.current?.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [path]);
  return (
    <nav ref={nav} className="page-tabs flex gap-1 line-below" aria-label={label}>
      {tabs.map(({ to, name, keepsSearch }) => (
        <Link
          key={to}
          to={to}
          className="page-tab row pad-1-3 rigid soft plain-link"
          activeOptions={{ includeSearch: false }}
          {...(keepsSearch ? { search: true } : {})}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
