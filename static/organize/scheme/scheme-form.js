// Shows the fields that belong to a choice at once. Without JavaScript, a button does so.
const form = document.querySelector("[data-scheme-form]");
const CHOICES = {
  system: "system", mapping: "mapping", tier_choice: "tiers", league_choice: "leagues", season_choice: "season",
  duration_choice: "duration",
};

function showChosen() {
  for (const [field, part] of Object.entries(CHOICES)) {
    const chosen = form.elements.namedItem(field)?.value;
    for (const element of form.querySelectorAll(`[data-${part}]`)) {
      const isChosen = element.dataset[part].split(" ").includes(chosen);
      element.hidden = !isChosen;
      element.disabled = !isChosen;
    }
  }
}

for (const button of form.querySelectorAll("[data-show]")) button.remove();
form.addEventListener("change", showChosen);
// Browsers restore earlier choices when someone returns to the page.
addEventListener("pageshow", showChosen);
showChosen();
