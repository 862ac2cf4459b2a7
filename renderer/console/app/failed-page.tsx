// What is shown in place of a page that failed, or that does not exist.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { common } from "../i18n/en/common.ts";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { useTitle } from "../ui/page.tsx";
import { reasonOf } from "../ui/problem-message.tsx";

const text = texts(common);

export function FailedPage({ error }: { error: unknown }) {
  useTitle(text("failedTitle"));
  return (
    <Instead title={text("failedTitle")} text={text("failedText", { reason: reasonOf(error) })}>
      <Button onPress={() => location.reload()}>{text("reload")}</Button>
    </Instead>
  );
}

export function MissingPage() {
  useTitle(text("notFoundTitle"));
  return (
    <Instead title={text("notFoundTitle")} text={text("notFoundText")}>
      <Link to="/" className="button">
        {text("toScreens")}
      </Link>
    </Instead>
  );
}

/** Like the empty state of a list, but it is the page: its title is the page's. */
function Instead({ title, text: explanation, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <section className="empty-state">
      <h1>{title}</h1>
      <p>{explanation}</p>
      <div className="empty-actions">{children}</div>
    </section>
  );
}
