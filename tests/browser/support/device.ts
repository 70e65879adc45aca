// What a browser keeps on its device, read as text.
import type { Page } from '@playwright/test'

/** Everything in databases, caches and storage; the app's own files in the precache are nobody's data. */
export function keptOnDevice(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error))
      })
    const found: unknown[] = [localStorage, sessionStorage].map((area) => Object.fromEntries(Object.entries(area)))
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const store of Array.from(database.objectStoreNames)) found.push(name, await done(database.transaction(store).objectStore(store).getAll()))
      database.close()
    }
    for (const name of await caches.keys()) {
      if (name.includes('precache')) continue
      for (const request of await (await caches.open(name)).keys()) found.push(request.url, await (await caches.match(request))?.text())
    }
    return JSON.stringify(found)
  })
}
