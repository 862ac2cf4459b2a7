// The page in place of one that failed, or that does not exist.
import { Link } from "@tanstack/react-router";
import { texts } from "../i18n/texts.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { useTitle } from "../ui/page.tsx";
import { reasonOf } from "../ui/problem-message.tsx";

const text = texts("common");

export function FailedPage({ error }: { error: unknown }) {
  useTitle(text("failedTitle"));
  return (
    <EmptyState isPage title={text("failedTitle")} text={text("failedText", { reason: reasonOf(error) })}>
      <Button onPress={() => location.reload()}>{text("reload")}</Button>
    </EmptyState>
  );
}

export function MissingPage() {
  useTitle(text("notFoundTitle"));
  return (
    <EmptyState isPage title={text("notFoundTitle")} text={text("notFoundText")}>
      <Link to="/" className="button">
        {text("toScreens")}
      </Link>
    </EmptyState>
  );
}
