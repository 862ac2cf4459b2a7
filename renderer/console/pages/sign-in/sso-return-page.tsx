// The page that the provider of single sign-on leads back to: finishes the sign-in, the linking, or the proof that another window waits for.
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { directClient } from "../../data/client.ts";
import { storeLinking, proofChannelName, rememberedPlace, takeAnswer } from "../../data/sso.ts";
import { texts } from "../../i18n/texts.ts";
import { ProblemMessage } from "../../ui/problem-message.tsx";
import { LonePage } from "./lone-page.tsx";
import { useSignIn } from "./use-sign-in.ts";

const text = texts("sso");

export function SsoReturnPage() {
  const [answer] = useState(takeAnswer);
  const purpose = new URLSearchParams(answer ?? "").get("state")?.split(".")[0];
  const title = text(purpose === "proof" ? "proofTitle" : "title");
  return (
    <LonePage title={title}>
      {answer === null ? (
        <>
          <p>{text("nothing")}</p>
          <Back />
        </>
      ) : purpose === "proof" ? (
        <Proof answer={answer} />
      ) : purpose === "link" ? (
        <ToAccount answer={answer} />
      ) : (
        <SignIn answer={answer} />
      )}
    </LonePage>
  );
}

// A second start of an effect, or a second rendering, must not send an answer again: it works once.
const usedAnswers = new Set<string>();

function SignIn({ answer }: { answer: string }) {
  const navigate = useNavigate();
  const { mutate, error } = useSignIn(() => void navigate({ to: rememberedPlace() ?? "/", replace: true }));
  useEffect(() => {
    if (usedAnswers.has(answer)) return;
    usedAnswers.add(answer);
    mutate({ method: "sso", response: answer });
  }, [answer, mutate]);
  if (error === null) return <p role="status">{text("finishing")}</p>;
  return (
    <>
      <ProblemMessage error={error} />
      <Back />
    </>
  );
}

/** The page of the person's account links it, since it can ask for a proof. */
function ToAccount({ answer }: { answer: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    if (usedAnswers.has(answer)) return;
    usedAnswers.add(answer);
    storeLinking(answer);
    void navigate({ to: "/account", replace: true });
  }, [answer, navigate]);
  return <p role="status">{text("linking")}</p>;
}

function Back() {
  return (
    <Link to="/sign-in" search={{ to: rememberedPlace() }} className="button" data-kind="primary" data-size="medium" replace>
      {text("back")}
    </Link>
  );
}

function Proof({ answer }: { answer: string }) {
  const { mutate, error, isSuccess } = useMutation({
    mutationFn: async () => {
      await directClient.post("/api/v1/session/proof", { body: { sso_response: answer } });
      const channel = new BroadcastChannel(proofChannelName);
      channel.postMessage("proved");
      channel.close();
    },
    // The browser may keep the window open: then it says how to go on.
    onSuccess: () => window.close(),
  });
  useEffect(() => {
    if (usedAnswers.has(answer)) return;
    usedAnswers.add(answer);
    mutate();
  }, [answer, mutate]);
  if (error !== null) {
    return (
      <>
        <ProblemMessage error={error} />
        <p>{text("notProved")}</p>
      </>
    );
  }
  return <p role="status">{text(isSuccess ? "proved" : "proving")}</p>;
}
