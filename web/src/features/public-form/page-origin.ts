// Where the visitor came from, as the first page of the visit saw it.

/** Address of the page with its campaign marks, and the page before it. */
export function pageOrigin(): { pageUrl: string; referrer: string } {
  return { pageUrl: globalThis.location.href, referrer: document.referrer }
}
