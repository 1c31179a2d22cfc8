// The parameters of the chosen rating system show at once; without this a button asks for them.
const form = document.querySelector("[data-scheme-form]");
const choice = form.elements.namedItem("system");
const parts = form.querySelectorAll("[data-system]");

function showChosen() {
  for (const part of parts) {
    const isChosen = part.dataset.system === choice.value;
    part.hidden = !isChosen;
    part.disabled = !isChosen;
  }
}

form.querySelector("[data-show]").remove();
choice.addEventListener("change", showChosen);
// Browsers keep what was chosen when somebody comes back to the page.
addEventListener("pageshow", showChosen);
showChosen();
