// Waiting for the service worker: an offline start works only once it controls the page.
import { expect, type Page, test } from '@playwright/test'

/** It fetches the whole shell ahead before it is active; on a busy machine that takes a while. */
const READY_TIMEOUT_MS = 60_000
const READY = 'active, in charge of the page, the shell on the device'

/** How far it is, in words: those of the last look say what was missing. Nothing here waits, so no look can hang. */
function readState(page: Page): Promise<string> {
  return page.evaluate(async (ready) => {
    const registration = await navigator.serviceWorker.getRegistration()
    if (!registration) return 'not registered'
    const { active, waiting, installing } = registration
    if (active?.state !== 'activated') return `not active: ${(active ?? waiting ?? installing)?.state ?? 'gone'}`
    // It claims the pages that are open, but a moment after it has become active.
    if (navigator.serviceWorker.controller?.state !== 'activated') return 'active, not in charge of the page'
    const names = (await caches.keys()).filter((name) => name.includes('precache'))
    // Its address is kept with a revision.
    const shells = await Promise.all(
      names.map(async (name) => (await caches.open(name)).match('/index.html', { ignoreSearch: true })),
    )
    return shells.some((shell) => shell !== undefined) ? ready : 'in charge of the page, the shell not on the device'
  }, READY)
}

/** Waits until the worker is active, controls the page, and has cached the files of an offline start. The wait is added to the story's timeout. */
export async function waitForServiceWorker(page: Page): Promise<void> {
  const story = test.info()
  // None where a story may take as long as it likes.
  if (story.timeout > 0) story.setTimeout(story.timeout + READY_TIMEOUT_MS)
  // A look at a page that is just moving on fails; the next one sees where it has come to.
  await expect(async () => expect(await readState(page)).toBe(READY)).toPass({
    timeout: READY_TIMEOUT_MS,
    intervals: [100, 250, 500],
  })
}
