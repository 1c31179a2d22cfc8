// Lists of players: a button to print, and a message in place of a request whose address servers would refuse.

// Gunicorn reads request lines of up to 8190 bytes.
const LONGEST = 8000;

for (const button of document.querySelectorAll("[data-print]")) {
  button.addEventListener("click", () => window.print());
}

for (const form of document.querySelectorAll("[data-list-form]")) {
  const message = form.querySelector("[data-too-long]");
  form.addEventListener("submit", (event) => {
    const query = new URLSearchParams(new FormData(form)).toString();
    message.hidden = form.action.length + query.length < LONGEST;
    if (!message.hidden) {
      event.preventDefault();
      message.scrollIntoView({ block: "center" });
    }
  });
}
