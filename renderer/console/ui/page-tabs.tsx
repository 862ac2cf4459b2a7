// The parts of an area, each with its own address. On a phone they are scrolled sideways.
import { Link } from "@tanstack/react-router";
import type { ComponentProps } from "react";
import "./page-tabs.css";

export interface PageTab {
  to: NonNullable<ComponentProps<typeof Link>["to"]>;
  name: string;
}

export function PageTabs({ label, tabs }: { label: string; tabs: readonly PageTab[] }) {
  return (
    <nav className="page-tabs" aria-label={label}>
      {tabs.map(({ to, name }) => (
        <Link key={to} to={to} className="page-tab">
          {name}
        </Link>
      ))}
    </nav>
  );
}
