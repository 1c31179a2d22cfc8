// Polls the progress of a worker, and reloads the page when the work is complete. A page with unsent input cancels the
// event “work-over” and stays as it is.
const ASK_AFTER_MS = 1000;
const place = document.querySelector("[data-work-progress]");

function reload() {
  if (place.dispatchEvent(new Event("work-over", { bubbles: true, cancelable: true }))) location.reload();
  else place.hidden = true;
}

async function ask() {
  try {
    const answer = await fetch(place.dataset.workProgress, { headers: { Accept: "application/json" } });
    if (answer.redirected) {
      reload(); // the file is saved or gone, and the page says so
      return;
    }
    const progress = await answer.json();
    if (progress.is_over) {
      reload();
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
