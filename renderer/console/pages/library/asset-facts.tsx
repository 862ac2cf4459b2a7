// A file in few words, and its small picture.
import { assetKinds, thumbnailUrl, type Asset } from "../../data/assets.ts";
import { formatBytes } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";
import type { IconName } from "../../ui/icon-paths.ts";

const text = texts("library");

const icons: Readonly<Record<string, IconName>> = {
  image: "image",
  video: "film",
  audio: "sound",
  document: "document",
  bundle: "globe",
};

/** The kind in words. */
export function kindText({ kind }: Pick<Asset, "kind">): string {
  return text(assetKinds.find((each) => each === kind) ?? "unknown");
}

/** Such as `1:05` or `1:02:09`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [first, ...others] = parts[0] === 0 ? parts.slice(1) : parts;
  return [first, ...others.map((part) => String(part).padStart(2, "0"))].join(":");
}

/** Such as `1920 × 1080`; null if the file has no dimensions. */
export function dimensionsText({ width, height }: Pick<Asset, "width" | "height">): string | null {
  return width === null || height === null ? null : text("dimensions", { width: String(width), height: String(height) });
}

/** The most important facts about a file, in one line; while it is on its way, how far it is. */
export function summaryText(asset: Asset): string {
  const { status, duration_ms, page_count, size_bytes, progress } = asset;
  if (status === "failed") return text("statusFailed");
  if (status === "importing") {
    const total = progress?.total_bytes;
    if (typeof total !== "number" || total === 0) return text("statusImporting");
    return text("statusImportingPart", { percent: Math.floor((100 * (progress?.received_bytes ?? 0)) / total) });
  }
  const parts = [
    kindText(asset),
    duration_ms === null ? dimensionsText(asset) : durationText(duration_ms),
    page_count === null ? null : text("pages", { count: page_count }),
    size_bytes === null ? null : formatBytes(size_bytes),
  ];
  return parts.filter((part) => part !== null).join(" · ");
}

/** The small picture of a file, or the sign of its kind. It says nothing by itself: the name is beside it. */
export function AssetThumbnail({ asset }: { asset: Asset }) {
  const url = thumbnailUrl(asset);
  return (
    <span className="asset-thumbnail center relative crop sunken rounded faint" data-kind={asset.kind ?? "unknown"}>
      {url === null ? (
        <Icon name={asset.status === "failed" ? "warning" : (icons[asset.kind ?? ""] ?? "document")} />
      ) : (
        <img src={url} alt="" loading="lazy" decoding="async" draggable={false} />
      )}
      {asset.kind === "video" && asset.duration_ms !== null ? (
        <span className="asset-duration rounded-s tiny digits">{durationText(asset.duration_ms)}</span>
      ) : null}
    </span>
  );
}
