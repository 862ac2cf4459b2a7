// Sends the claim and says what came of it. Keeps nothing: the token is gone when the page is.
const form = document.querySelector("#form");
const message = document.querySelector("#message");
const send = document.querySelector("#send");
const fields = { code: form.code, name: form.elements.namedItem("name"), token: form.token };

const given = new URLSearchParams(location.search).get("code");
if (given !== null) fields.code.value = given.slice(0, 16).toUpperCase();
(given === null ? fields.code : fields.name).focus();

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void claim();
});

async function claim() {
  for (const field of Object.values(fields)) field.removeAttribute("aria-invalid");
  const empty = Object.values(fields).find((field) => field.value.trim() === "");
  if (empty !== undefined) return complain(`Please fill in: ${empty.labels[0].textContent}.`, empty);
  send.disabled = true;
  say("Adding the screen…", "");
  try {
    const response = await fetch("/api/v1/players/pair", {
      method: "POST",
      headers: { authorization: `Bearer ${fields.token.value.trim()}`, "content-type": "application/json" },
      body: JSON.stringify({ code: fields.code.value, name: fields.name.value }),
    });
    const answer = await response.json();
    if (response.ok) succeed(answer.name);
    else complain(reasonOf(response.status, answer), fieldOf(response.status, answer));
  } catch {
    complain("The service cannot be reached. Check your connection and try again.", null);
  } finally {
    send.disabled = false;
  }
}

function succeed(name) {
  form.hidden = true;
  document.querySelector("#added").textContent = name;
  document.querySelector("#next").hidden = false;
  say(`Done: “${name}” is added. The screen changes within a few seconds.`, "good");
}

function reasonOf(status, problem) {
  if (status === 401) return "The access token is not valid.";
  if (status === 403) return "This access token may not add screens.";
  const details = (problem.errors ?? []).map((error) => error.detail).join("; ");
  return details === "" ? (problem.detail ?? `The service answered ${status}.`) : `Please check: ${details}.`;
}

function fieldOf(status, problem) {
  if (status === 401 || status === 403) return fields.token;
  if (status === 404 || status === 409) return fields.code;
  const name = problem.errors?.[0]?.pointer?.slice(1);
  return fields[name] ?? null;
}

function complain(text, field) {
  say(text, "bad");
  field?.setAttribute("aria-invalid", "true");
  field?.focus();
}

function say(text, kind) {
  message.textContent = text;
  message.className = kind;
  message.hidden = false;
}
