// The form that adds a screen. Only its code and its name are needed.
import { useMutation } from "@tanstack/react-query";
import { useRef, useState, type FormEvent } from "react";
import type { Schemas } from "../../../../sdk/typescript/client.ts";
import { impatientClient } from "../../data/client.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { Choices } from "../../ui/choices.tsx";
import { ComboBox } from "../../ui/combo-box.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { TagField } from "../../ui/tag-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { CodeField } from "./code-field.tsx";
import { codeLetters, examineCode } from "./code.ts";
import { FirstContent, thumbnailOf, type ContentChoice } from "./first-content.tsx";
import { pairingErrors } from "./pairing-errors.ts";
import { ScreenPreview } from "./screen-preview.tsx";
import { uploadFile, type FirstContent as Content, type Orientation, type Plan } from "./set-up.ts";

const text = texts("common", "pair");
const orientations = ["landscape", "portrait", "landscape-flipped", "portrait-flipped"] as const;
const ownZone = "own";
const timeZones = [{ id: ownZone, name: text("timeZoneOwn") }, ...Intl.supportedValuesOf("timeZone").map((id) => ({ id, name: id }))];

interface PairFormProps {
  /** The code of the address. */
  givenCode: string;
  onPaired: (player: Schemas["Player"], plan: Plan) => void;
}

export function PairForm({ givenCode, onPaired }: PairFormProps) {
  const [code, setCode] = useState(() => codeLetters(givenCode));
  const [name, setName] = useState("");
  const [tags, setTags] = useState<readonly string[]>([]);
  const [orientation, setOrientation] = useState<Orientation>("landscape");
  const [timeZone, setTimeZone] = useState<string>(ownZone);
  const [choice, setChoice] = useState<ContentChoice>(null);
  const [missing, setMissing] = useState<{ code?: string; name?: string }>({});
  const codeInput = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const focusName = (): void => form.current?.querySelector<HTMLInputElement>('input[name="name"]')?.focus();
  const pairing = useMutation({
    mutationFn: async () => (await impatientClient.post("/api/v1/players/pair", { body: { code, name: name.trim() } })).data,
    onSuccess: (player) => {
      const plan = { tags, orientation, timeZone: timeZone === ownZone ? null : timeZone, content: contentOf(choice), key: player.id };
      onPaired(player, plan);
    },
    onError: (error) => {
      const { code: wrongCode, name: wrongName } = pairingErrors(error);
      if (wrongCode !== undefined) codeInput.current?.select();
      else if (wrongName !== undefined) focusName();
    },
  });
  const errors = { ...pairingErrors(pairing.error), ...missing };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const isCodeMissing = !examineCode(code).isComplete;
    const isNameMissing = name.trim() === "";
    setMissing({ ...(isCodeMissing ? { code: text("codeIncomplete") } : {}), ...(isNameMissing ? { name: text("required") } : {}) });
    if (isCodeMissing) codeInput.current?.focus();
    else if (isNameMissing) focusName();
    else if (!pairing.isPending) pairing.mutate();
  };
  const take = (file: File): void => {
    const upload = uploadFile(file);
    const fileChoice = { is: "file", file, picture: file.type.startsWith("image/") ? URL.createObjectURL(file) : null, upload } as const;
    setChoice({ ...fileChoice, state: "uploading" });
    const end = (next: ContentChoice): void => setChoice((now) => (now?.is === "file" && now.file === file ? next : now));
    upload().then(
      () => end({ ...fileChoice, state: "uploaded" }),
      (error: unknown) => end({ ...fileChoice, state: "failed", error }),
    );
  };
  return (
    <form ref={form} className="pair grid top gap-6" onSubmit={submit} noValidate>
      <div className="stack gap-4 shrink">
        <div className="card form">
          <CodeField
            value={code}
            onChange={(letters) => {
              setCode(letters);
              setMissing({});
              pairing.reset();
            }}
            onComplete={focusName}
            error={errors.code}
            autoFocus={givenCode === ""}
            inputRef={codeInput}
          />
          <TextField
            label={text("name")}
            name="name"
            value={name}
            onChange={(next) => {
              setName(next);
              setMissing({});
            }}
            error={errors.name}
            placeholder={text("namePlaceholder")}
            maxLength={200}
            autoComplete="off"
            autoFocus={givenCode !== ""}
          />
          <FirstContent value={choice} onChange={setChoice} onFile={take} />
          {errors.other === undefined ? null : <ProblemMessage error={errors.other} />}
        </div>
        <section className="card form" aria-labelledby="pair-more">
          <header>
            <h2 id="pair-more">{text("more")}</h2>
            <p className="field-description">{text("moreHint")}</p>
          </header>
          <Choices
            label={text("orientation")}
            value={orientation}
            onChange={setOrientation}
            choices={orientations.map((id) => ({
              id,
              name: text(id),
              picture: <span className="orientation-picture" data-orientation={id} aria-hidden="true" />,
            }))}
          />
          <TagField
            label={text("tags")}
            description={text("tagsDescription")}
            placeholder={text("tagsPlaceholder")}
            value={tags}
            onChange={setTags}
          />
          <ComboBox label={text("timeZone")} choices={timeZones} value={timeZone} onChange={(id) => setTimeZone(id ?? ownZone)} />
        </section>
        <div className="pair-actions wrap gap-2">
          <Button type="submit" kind="primary" isPending={pairing.isPending}>
            <Icon name="plus" />
            {text(pairing.isPending ? "adding" : "add")}
          </Button>
        </div>
      </div>
      <aside className="pair-side stack gap-3">
        <ScreenPreview orientation={orientation} code={code} name={name} picture={pictureOf(choice)} />
        <h2>{text("howTitle")}</h2>
        <ol className="pair-how stack gap-2 soft">
          <li>{text("how1")}</li>
          <li>{text("how2")}</li>
          <li>{text("how3")}</li>
        </ol>
      </aside>
    </form>
  );
}

function contentOf(choice: ContentChoice): Content {
  // The refusal of a file is shown beside its field; the screen can do without.
  if (choice === null || (choice.is === "file" && choice.state === "failed")) return null;
  if (choice.is === "layout") return choice;
  return { is: "asset", asset: choice.is === "asset" ? async () => choice.asset : choice.upload };
}

function pictureOf(choice: ContentChoice): string | null {
  if (choice?.is === "file") return choice.picture;
  return choice?.is === "asset" ? thumbnailOf(choice.asset) : null;
}
