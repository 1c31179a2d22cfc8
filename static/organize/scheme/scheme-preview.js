// Shows real players by the form as one types; without this a button asks for it.
const WAIT_MS = 300;
const form = document.querySelector("[data-scheme-form]");
const place = document.querySelector("[data-scheme-preview]");
let timer = 0;
let last = 0;

async function show() {
  const number = ++last;
  const said = new FormData(form);
  said.set("show", "fragment");
  place.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(location.pathname, { method: "POST", body: said });
    const text = await answer.text();
    // Answers may overtake each other: only the last question counts. A login page is no preview.
    if (number === last && !answer.redirected && answer.ok) place.innerHTML = text;
  } catch {
    // The connection is away for a moment; the next key asks again.
  }
  if (number === last) place.removeAttribute("aria-busy");
}

function showSoon() {
  clearTimeout(timer);
  timer = setTimeout(show, WAIT_MS);
}

// On a phone the preview is below the form: the button leads there.
form.querySelector("[data-show-preview]").addEventListener("click", async (event) => {
  event.preventDefault();
  await show();
  place.closest("section").scrollIntoView();
});
form.addEventListener("input", showSoon);
if ("sketch" in form.dataset) show();
form.addEventListener("change", showSoon);
