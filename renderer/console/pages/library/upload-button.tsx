// Lets a person choose files of the computer or pictures of the phone, and uploads them.
import { FileTrigger } from "react-aria-components";
import { useMay } from "../../data/session.ts";
import { uploadFiles, type UploadedAsset } from "../../data/uploads.ts";
import { texts } from "../../i18n/texts.ts";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";

const text = texts("library");

export interface UploadButtonProps {
  kind?: ButtonProps["kind"];
  /** A whole folder is chosen instead of files. */
  isFolder?: boolean;
  onUploaded?: (assets: readonly UploadedAsset[]) => void;
}

/** Nothing for a person who may not add files. */
export function UploadButton({ kind = "plain", isFolder = false, onUploaded }: UploadButtonProps) {
  if (!useMay("assets:write")) return null;
  const upload = async (files: FileList | null): Promise<void> => {
    const assets = await uploadFiles([...(files ?? [])]);
    onUploaded?.(assets);
  };
  return (
    <FileTrigger allowsMultiple acceptDirectory={isFolder} onSelect={(files) => void upload(files)}>
      <Button kind={kind}>
        <Icon name="upload" />
        {text(isFolder ? "uploadFolder" : "upload")}
      </Button>
    </FileTrigger>
  );
}
