// The word between two ways to sign in.
import { texts } from "../../i18n/texts.ts";

const text = texts("signIn");

export function Or() {
  return (
    <p className="sign-in-or row gap-3 soft">
      <span>{text("or")}</span>
    </p>
  );
}
