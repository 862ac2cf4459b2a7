// Shows a file as far as a browser may: only as a picture, video or sound, so that nothing in it can run with the console's rights.
import { contentUrl, thumbnailUrl, type Asset } from "../../data/assets.ts";
import { texts } from "../../i18n/texts.ts";
import { Icon } from "../../ui/icon.tsx";

const text = texts("library");
// Larger pictures are shown by their thumbnail: a phone must not decode a poster of 20,000 pixels.
const mostPixels = 16_000_000;

export function AssetPreview({ asset }: { asset: Asset }) {
  const { kind, name, width, height } = asset;
  const url = contentUrl(asset);
  const label = text("previewOf", { name });
  const thumbnail = thumbnailUrl(asset);
  if (url !== null && kind === "image") {
    const isLarge = (width ?? 0) * (height ?? 0) > mostPixels;
    return (
      <figure className="asset-preview center gap-4 crop rounded glass">
        <img src={isLarge ? (thumbnail ?? url) : url} alt={label} />
      </figure>
    );
  }
  if (url !== null && kind === "video") {
    return (
      <figure className="asset-preview center gap-4 crop rounded glass">
        <video src={url} controls muted preload="metadata" aria-label={label} {...(thumbnail === null ? {} : { poster: thumbnail })} />
      </figure>
    );
  }
  if (url !== null && kind === "audio") {
    return (
      <figure className="asset-preview center gap-4 crop rounded glass" data-kind="audio">
        <Icon name="sound" />
        <audio className="full-width" src={url} controls preload="metadata" aria-label={label} />
      </figure>
    );
  }
  return (
    <figure className="asset-preview center gap-4 crop rounded glass" data-kind="none">
      <Icon name={kind === "bundle" ? "globe" : "document"} />
      <figcaption>{text("noPreview")}</figcaption>
    </figure>
  );
}
