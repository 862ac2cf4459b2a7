// One upload in the tray: how far it is, or why it was refused and how to go on.
import { FileTrigger, ProgressBar } from "react-aria-components";
import { thumbnailUrl } from "../../data/assets.ts";
import { isActive, removeUpload, retryUpload, uploadFiles, type UploadEntry } from "../../data/uploads.ts";
import { forgetUpload, type InterruptedUpload } from "../../data/upload-memory.ts";
import { formatBytes } from "../../i18n/format.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { reasonOf } from "../../ui/problem-message.tsx";

const text = texts("uploads");
const commonText = texts("common");

/** The text about the state of an upload. */
function stateText({ state, sentBytes, file, error, asset, isDuplicate }: UploadEntry): string {
  if (isDuplicate && asset !== null) {
    return asset.name === file.name ? text("duplicateSame") : text("duplicate", { name: asset.name });
  }
  if (state === "sending") return text("sending", { sent: formatBytes(sentBytes), total: formatBytes(file.size) });
  return state === "refused" || state === "failed" ? text(state, { reason: reasonOf(error) }) : text(state);
}

export function UploadRow({ entry }: { entry: UploadEntry }) {
  const { id, file, state, sentBytes, asset } = entry;
  const isBad = state === "refused" || state === "failed";
  const thumbnail = asset === null ? null : thumbnailUrl(asset);
  return (
    <li className="upload-row row gap-3" data-state={state}>
      <span className="upload-sign center rigid crop sunken rounded-s faint square">
        {thumbnail === null ? (
          <Icon name={isBad ? "warning" : state === "done" ? "check" : "upload"} />
        ) : (
          <img className="picture-cover" src={thumbnail} alt="" decoding="async" />
        )}
      </span>
      <div className="upload-facts stack gap-hair grow shrink">
        <p className="truncate strong">{file.name}</p>
        <p className="upload-state small faint break-words">{stateText(entry)}</p>
        {isActive(entry) && state !== "waiting" ? (
          <Progress label={text("progressOf", { name: file.name })} value={sentBytes} most={file.size} isUncertain={state === "checking"} />
        ) : null}
      </div>
      {state === "failed" ? (
        <Button size="small" aria-label={text("retryOf", { name: file.name })} onPress={() => retryUpload(id)}>
          {commonText("retry")}
        </Button>
      ) : null}
      <Button
        kind="quiet"
        size="small"
        aria-label={text(isActive(entry) ? "cancelOf" : "removeOf", { name: file.name })}
        onPress={() => removeUpload(id)}
      >
        <Icon name="close" />
      </Button>
    </li>
  );
}

/** An upload that the page's end interrupted: it needs its file again. */
export function InterruptedRow({ upload: { key, name }, onForgotten }: { upload: InterruptedUpload; onForgotten: () => void }) {
  return (
    <li className="upload-row row gap-3" data-state="stalled">
      <span className="upload-sign center rigid crop sunken rounded-s faint square">
        <Icon name="restore" />
      </span>
      <div className="upload-facts stack gap-hair grow shrink">
        <p className="truncate strong">{name}</p>
        <p className="upload-state small faint break-words">{text("continueHint")}</p>
        <FileTrigger onSelect={(files) => void uploadFiles([...(files ?? [])])}>
          <Button size="small">{text("chooseAgain")}</Button>
        </FileTrigger>
      </div>
      <Button
        kind="quiet"
        size="small"
        aria-label={text("forget", { name })}
        onPress={() => {
          forgetUpload(key);
          onForgotten();
        }}
      >
        <Icon name="close" />
      </Button>
    </li>
  );
}

interface ProgressProps {
  label: string;
  value: number;
  most: number;
  isUncertain?: boolean;
}

export function Progress({ label, value, most, isUncertain = false }: ProgressProps) {
  return (
    <ProgressBar
      aria-label={label}
      value={value}
      maxValue={Math.max(1, most)}
      isIndeterminate={isUncertain}
      className="upload-progress crop sunken"
      data-uncertain={isUncertain}
    >
      {({ percentage }) => <div style={{ inlineSize: `${percentage ?? 100}%` }} />}
    </ProgressBar>
  );
}
