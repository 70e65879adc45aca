// Landing page and referrer of the visit.

/** Address of the page with its campaign marks, and the page before it. */
export function getPageOrigin(): { pageUrl: string; referrer: string } {
  return { pageUrl: globalThis.location.href, referrer: document.referrer }
}
