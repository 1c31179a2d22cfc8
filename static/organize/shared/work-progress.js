// Polls the progress of a worker, and reloads the page when the work is complete.
const ASK_AFTER_MS = 1000;
const place = document.querySelector("[data-work-progress]");

async function ask() {
  try {
    const answer = await fetch(place.dataset.workProgress, { headers: { Accept: "application/json" } });
    if (answer.redirected) {
      location.reload(); // the file is saved or gone, and the page says so
      return;
    }
    const progress = await answer.json();
    if (progress.is_over) {
      location.reload();
      return;
    }
    place.querySelector("progress").value = progress.percent;
    place.querySelector("[data-words]").textContent = progress.words;
    place.querySelector("[data-late]").hidden = !progress.is_late;
  } catch {
    // The site may be restarting or the connection interrupted: try again.
  }
  setTimeout(ask, ASK_AFTER_MS);
}

if (place) setTimeout(ask, ASK_AFTER_MS);
