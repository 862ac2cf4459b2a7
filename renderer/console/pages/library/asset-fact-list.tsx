// The facts about a file, and its possible problems on a screen.
import type { ReactNode } from "react";
import type { Asset } from "../../data/assets.ts";
import { formatBytes } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Age } from "../../ui/age.tsx";
import { Icon } from "../../ui/icon.tsx";
import { dimensionsText, durationText, kindText } from "./asset-facts.tsx";

const text = texts("library");

export function AssetFacts({ asset }: { asset: Asset }) {
  const { mime_type, size_bytes, duration_ms, page_count, source_url, created_at, deleted_at, warnings } = asset;
  const facts: [term: string, fact: ReactNode][] = [
    [text("factKind"), [kindText(asset), mime_type].filter((part) => part !== null).join(" · ")],
    [text("factSize"), size_bytes === null ? null : formatBytes(size_bytes)],
    [text("factDimensions"), dimensionsText(asset)],
    [text("factDuration"), duration_ms === null ? null : durationText(duration_ms)],
    [text("factPages"), page_count === null ? null : text("pages", { count: page_count })],
    [text("factAdded"), <Age key="added" time={created_at} />],
    [text("factDeleted"), deleted_at === null ? null : <Age key="deleted" time={deleted_at} />],
    [text("factSource"), source_url],
  ];
  return (
    <>
      <dl className="asset-facts lined">
        {facts.map(([term, fact]) =>
          fact === null ? null : (
            <div className="grid gap-3" key={term}>
              <dt className="faint">{term}</dt>
              <dd className="break-words">{fact}</dd>
            </div>
          ),
        )}
      </dl>
      {warnings.length === 0 ? null : (
        <section>
          <h3>{text("warnings")}</h3>
          <ul>
            {warnings.map(({ code, detail }) => (
              <li className="flex gap-2 warn above-2" key={code}>
                <Icon name="warning" />
                {detail}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
