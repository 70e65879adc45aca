// Data of a browser on its device: as the app reads it, and as stored bytes.
import type { Page } from '@playwright/test'

type DeviceData = {
  /** What can be read with the keys that are on the device. */ readable: string
  /** The stored bytes, as in a copy of the databases. */ bytes: string
}

/** Everything in databases, caches and storage; without the app's own files in the precache. */
function readDeviceData(page: Page): Promise<DeviceData> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error))
      })
    const rowsOf = async (name: string): Promise<{ store: string; key: IDBValidKey; value: unknown }[]> => {
      const database = await done(indexedDB.open(name))
      const rows: { store: string; key: IDBValidKey; value: unknown }[] = []
      for (const store of Array.from(database.objectStoreNames)) {
        const area = database.transaction(store).objectStore(store)
        const [keys, values] = await Promise.all([
          done(area.getAllKeys()),
          done(area.getAll() as IDBRequest<unknown[]>),
        ])
        keys.forEach((key, place) => rows.push({ store, key, value: values[place] }))
      }
      database.close()
      return rows
    }
    const asText = (value: unknown): string => {
      if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return new TextDecoder('latin1').decode(value)
      if (typeof value === 'object' && value !== null)
        return Object.entries(value)
          .map(([name, part]) => `${name}: ${asText(part)}`)
          .join('\n')
      return String(value)
    }
    const names = (await indexedDB.databases()).map(({ name = '' }) => name)
    const lease = names.includes('toolbox-keys') ? (await rowsOf('toolbox-keys')).map(({ value }) => value) : []
    const keys = lease
      .flatMap((row) => (typeof row === 'object' && row !== null ? Object.values(row) : []))
      .filter((value): value is CryptoKey => value instanceof CryptoKey)
    const openPage = async (name: string, { key, value }: { key: IDBValidKey; value: unknown }): Promise<string[]> => {
      if (typeof value !== 'object' || value === null || !('iv' in value) || !('data' in value)) return [asText(value)]
      const owner = name.slice(name.indexOf(':') + 1)
      const tries = keys.flatMap((one) =>
        [`store|${owner}|${typeof key === 'string' ? key : ''}`, `entry|${owner}`, `photo|${owner}`].map(
          (about) => [one, about] as const,
        ),
      )
      const found = await Promise.all(
        tries.map(async ([one, about]) => {
          const how = { name: 'AES-GCM', iv: value.iv as BufferSource, additionalData: new TextEncoder().encode(about) }
          return crypto.subtle.decrypt(how, one, value.data as BufferSource).then(
            (bytes) => [new TextDecoder().decode(bytes)],
            () => [],
          )
        }),
      )
      return found.flat()
    }
    const readable: string[] = [localStorage, sessionStorage].map((area) =>
      JSON.stringify(Object.fromEntries(Object.entries(area))),
    )
    const bytes = [...readable]
    for (const name of names) {
      const rows = await rowsOf(name)
      readable.push(name, ...(await Promise.all(rows.map((row) => openPage(name, row)))).flat())
      bytes.push(name, ...rows.map(({ value }) => asText(value)))
    }
    for (const name of await caches.keys()) {
      if (name.includes('precache')) continue
      for (const request of await (await caches.open(name)).keys()) {
        const text = (await (await caches.match(request))?.text()) ?? ''
        readable.push(request.url, text)
        bytes.push(request.url, text)
      }
    }
    return { readable: readable.join('\n'), bytes: bytes.join('\n') }
  })
}

/** All data that the app's page can read. */
export const readableDeviceData = async (page: Page): Promise<string> => (await readDeviceData(page)).readable

/** All stored data, as stored. */
export const rawDeviceData = async (page: Page): Promise<string> => (await readDeviceData(page)).bytes
