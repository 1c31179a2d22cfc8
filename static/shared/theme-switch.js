// The theme button in the header: light or dark, stored in this browser. Charts listen for "themechange".
const root = document.documentElement;
const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
}

function announce() {
  document.dispatchEvent(new CustomEvent("themechange"));
}

function choose(theme) {
  root.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  announce();
}

const button = document.querySelector("[data-theme-switch]");
if (button) {
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  button.hidden = false;
  button.addEventListener("click", () => choose(isDark() ? "light" : "dark"));
  document.addEventListener("themechange", show);
  show();
}
system.addEventListener("change", announce);
