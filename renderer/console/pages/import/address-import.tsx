// Lets the service fetch many files, each from its address.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { client } from "../../data/client.ts";
import { useAct } from "../../data/use-act.ts";
import { texts } from "../../i18n/texts.ts";
import { Button } from "../../ui/button.tsx";
import { ProblemMessage, reasonOf } from "../../ui/problem-message.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";

const text = texts("imports");

/** An address that the service does not fetch, and why. */
interface Refusal {
  address: string;
  error: unknown;
}

export function AddressImport() {
  const [input, setInput] = useState("");
  const addresses = [...new Set(input.split(/\s+/).filter((each) => each !== ""))];
  const importing = useAct({
    run: () => importAll(addresses),
    changes: ["assets"],
    showsErrors: true,
    // Refused addresses stay to be corrected.
    after: ({ refusals }) => setInput(refusals.map(({ address }) => address).join("\n")),
  });
  const result = importing.data;
  return (
    <Section title={text("addressesTitle")} text={text("addressesText")}>
      <TextField
        label={text("addresses")}
        isMultiline
        value={input}
        onChange={setInput}
        placeholder="https://example.com/poster.jpg"
        isDisabled={importing.isPending}
      />
      <ProblemMessage error={importing.error} />
      <div role="status">
        {result === undefined ? null : (
          <>
            {result.startCount === 0 ? null : (
              <p>
                {text("addressesStarted", { count: result.startCount })} <Link to="/library">{text("toLibrary")}</Link>
              </p>
            )}
            {result.refusals.length === 0 ? null : (
              <>
                <p className="field-error">{text("addressesRefused", { count: result.refusals.length })}</p>
                <ul className="stack">
                  {result.refusals.map(({ address, error }) => (
                    <li className="wrap between gap-1-4 pad-block-2 line-below" key={address}>
                      <span className="shrink strong break-words">{address}</span>
                      <span className="field-error">{reasonOf(error)}</span>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
      <div className="import-actions wrap bottom gap-2-4">
        <Button kind="primary" isDisabled={addresses.length === 0} isPending={importing.isPending} onPress={() => importing.mutate()}>
          {text("addressesDo", { count: addresses.length })}
        </Button>
      </div>
    </Section>
  );
}

async function importAll(addresses: readonly string[]): Promise<{ startCount: number; refusals: readonly Refusal[] }> {
  const refusals: Refusal[] = [];
  // One after another: the service fetches them in the background.
  for (const address of addresses) {
    try {
      await client.post("/api/v1/assets/import", { body: { url: address } });
    } catch (error) {
      refusals.push({ address, error });
    }
  }
  return { startCount: addresses.length - refusals.length, refusals };
}
