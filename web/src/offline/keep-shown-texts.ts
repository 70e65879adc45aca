// The first visit fetches its texts before the worker listens.
import { keepTexts, readTexts, TEXTS_PATH } from './text-cache'

const isTexts = ({ name }: PerformanceEntry) => name.startsWith(`${globalThis.location.origin}${TEXTS_PATH}`)

/** Keeps the texts that this page fetched, as the worker does from the next start on. */
export async function keepShownTexts(): Promise<void> {
  const fetched = performance.getEntriesByType('resource').find(isTexts)
  if (!fetched || !('caches' in globalThis) || (await readTexts(fetched.name))) return
  try {
    const answer = await fetch(fetched.name)
    if (answer.ok) await keepTexts(fetched.name, answer)
  } catch (error) {
    // Without a connection the next start keeps them.
    if (!(error instanceof TypeError)) throw error
  }
}
