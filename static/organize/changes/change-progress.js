// Polls the progress of a preview, and reloads the page when the preview is complete.
const ASK_AFTER_MS = 700;
const place = document.querySelector("[data-change-progress]");

function show(progress) {
  const bar = place.querySelector("progress");
  if (progress.total) {
    bar.max = progress.total;
    bar.value = progress.done;
    place.querySelector("[data-words]").textContent = progress.words;
  }
  place.querySelector("[data-late]").hidden = !progress.is_late;
}

async function ask() {
  try {
    const answer = await fetch(place.dataset.changeProgress, { headers: { Accept: "application/json" } });
    const progress = await answer.json();
    if (progress.is_over) {
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
