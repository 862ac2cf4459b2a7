// Loads the next part of a list when its end comes into view, or on a press.
import { useEffect, useRef } from "react";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import type { AssetList } from "./use-asset-list.ts";

const text = texts("library");

export function LoadMore({ list: { hasMore, isLoadingMore, loadMore } }: { list: AssetList }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) loadMore();
    });
    observer.observe(element);
    return () => observer.disconnect();
  });
  if (!hasMore) return null;
  return (
    <div ref={place} className="flex pad-3 centered">
      <Button kind="quiet" isPending={isLoadingMore} onPress={loadMore}>
        {text("more")}
      </Button>
    </div>
  );
}
