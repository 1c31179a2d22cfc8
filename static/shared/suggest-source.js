// Requests suggestions and caches the responses while the page is open.
const known = new Map();
const MOST_KNOWN = 200;
const ADDRESS = document.querySelector("[data-suggest-address]")?.dataset.suggestAddress ?? "/suggest/";

/** The response of /suggest/ (web/public/search/suggestions.py); null without a connection or after further typing. */
export async function ask(text, { kind, series, community }, signal) {
  const query = new URLSearchParams({ q: text.slice(0, 128), kind });
  if (series) query.set("series", series);
  if (community) query.set("community", community);
  const address = `${ADDRESS}?${query}`;
  if (known.has(address)) return known.get(address);
  try {
    const response = await fetch(address, { signal, headers: { Accept: "application/json" } });
    if (!response.ok) return null;
    const answer = await response.json();
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(address, answer);
    return answer;
  } catch {
    return null;
  }
}
