// Texts of the chosen language for a start without a network: fetched by those who read them, never ahead.

/** The texts hold no data; signing out keeps them. */
export const TEXT_CACHE = 'toolbox-texts'
export const TEXTS_PATH = '/assets/locales/'

/** The names have hashes: what is there is right, and a new version replaces the one before. */
export async function keepTexts(address: string, answer: Response): Promise<void> {
  const cache = await caches.open(TEXT_CACHE)
  await cache.put(address, answer)
  const kept = await cache.keys()
  await Promise.all(kept.filter(({ url }) => url !== address).map((old) => cache.delete(old)))
}

export async function readTexts(address: string): Promise<Response | undefined> {
  const cache = await caches.open(TEXT_CACHE)
  return cache.match(address)
}
