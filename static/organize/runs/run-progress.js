// Polls the progress of a run, and reloads the page when its state changes.
const ASK_AFTER_MS = 1000;
const place = document.querySelector("[data-run-progress]");

function show(progress) {
  const bar = place.querySelector("progress");
  if (bar && progress.contests_total) {
    bar.max = progress.contests_total;
    bar.value = progress.contests_done;
  }
  const reading = place.querySelector("[data-reading]");
  if (reading && progress.contests_total) {
    reading.hidden = true;
    reading.nextElementSibling.hidden = false;
  }
  for (const [name, value] of [["done", progress.contests_done], ["total", progress.contests_total]]) {
    const words = place.querySelector(`[data-${name}]`);
    if (words) words.textContent = value.toLocaleString(document.documentElement.lang);
  }
  place.querySelector("[data-late]").hidden = !progress.is_late;
}

async function ask() {
  try {
    const answer = await fetch(place.dataset.runProgress, { headers: { Accept: "application/json" } });
    const progress = await answer.json();
    if (progress.state !== place.dataset.state || String(progress.run ?? "") !== place.dataset.run) {
      location.reload();
      return;
    }
    show(progress);
  } catch {
    // The site may be restarting or the connection interrupted: try again.
  }
  setTimeout(ask, ASK_AFTER_MS);
}

if (place) setTimeout(ask, ASK_AFTER_MS);
