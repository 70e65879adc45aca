import 'fake-indexeddb/auto'
import { promisifyRequest } from 'idb-keyval'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sessionExpired } from '@/api/session-expired'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { deviceStore } from './device-store'
import { startKeyLease } from './key-lease'
import { outboxStore } from './outbox/outbox-store'
import { flushOutbox } from './outbox/flush'
import { KEYS_DATABASE, storeKeys, StoreLockedError } from './store-keys'
import { wipeDevice } from './wipe-device'

const [ann, bob] = [buildUser({ orgId: 'o1', id: 'ann' }), buildUser({ orgId: 'o1', id: 'bob' })]
const [ANN, BOB] = ['o1:ann', 'o1:bob']
const HOUR = 60 * 60_000
const KEYS = '/api/account/offline-keys'
const note = (body: string) => ({
  key: `key of ${body}`,
  jobId: 'j1',
  jobName: '#1007, Carla Customer',
  command: { kind: 'note', body } as const,
  happenedAt: '2026-11-20T15:04:05.000Z',
})
const hooks = { onSent: () => undefined, onChange: () => Promise.resolve() }
let server: FakeServer

const signIn = (user: typeof ann) => server.on('GET', '/api/auth/me', { body: user })
const endSession = () => server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))
const at = (milliseconds: number) => vi.spyOn(Date, 'now').mockReturnValue(milliseconds)

async function reload(): Promise<void> {
  storeKeys.forgetMemory()
  await deviceStore.reopen()
}

async function rowsOf(database: string, store: string): Promise<unknown[]> {
  const opened = await promisifyRequest(indexedDB.open(database))
  const rows = await promisifyRequest<unknown[]>(opened.transaction(store).objectStore(store).getAll())
  opened.close()
  return rows
}

const bytesOf = (rows: unknown[]): string =>
  rows
    .flatMap((row) => Object.values(row as object))
    .map((value) =>
      value instanceof ArrayBuffer || value instanceof Uint8Array
        ? new TextDecoder('latin1').decode(value)
        : JSON.stringify(value),
    )
    .join('\n')

async function why(action: Promise<unknown>): Promise<unknown> {
  try {
    await action
  } catch (error) {
    return error instanceof StoreLockedError ? error.why : error
  }
  return 'open'
}

beforeEach(async () => {
  server = startFakeServer()
  signIn(ann)
  server.on('POST', '/api/jobs/j1/notes', { status: 201, body: { id: 'n1' } })
  await reload()
})

afterEach(async () => {
  vi.restoreAllMocks()
  document.body.style.visibility = ''
  server.goOnline()
  await storeKeys.delete()
  await deviceStore.forget()
  for (const owner of [ANN, BOB]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await outboxStore.forget(owner)
  }
})

describe('stored data', () => {
  it('is encrypted with a fresh IV, and the key is not extractable', async () => {
    await deviceStore.write(ANN, 'cache', 'Carla Customer, 12 Oak Street')
    await outboxStore.add(ANN, note('Gate code 4711'), new TextEncoder().encode('JPEG of the gate').buffer)
    await outboxStore.add(ANN, note('Gate code 4711'))
    const [copies, entries, photos, keys] = await Promise.all([
      rowsOf(`toolbox:${ANN}`, 'queries'),
      rowsOf(`toolbox-outbox:${ANN}`, 'entries'),
      rowsOf(`toolbox-outbox:${ANN}`, 'photos'),
      rowsOf(KEYS_DATABASE, 'keys'),
    ])
    const all = bytesOf([...copies, ...entries, ...photos])
    expect(all.length).toBeGreaterThan(100)
    for (const word of ['Carla', 'Oak', 'Gate', '4711', 'JPEG', 'j1', 'key of']) expect(all).not.toContain(word)
    const ivs = (entries as { iv: Uint8Array }[]).map(({ iv }) => iv.join(','))
    expect(new Set(ivs).size).toBe(2)
    const [kept] = keys as { store: CryptoKey; unsent: CryptoKey }[]
    expect([kept?.store.extractable, kept?.unsent.extractable]).toEqual([false, false])
    await expect(crypto.subtle.exportKey('raw', (kept as { store: CryptoKey }).store)).rejects.toThrow(
      /not extractable/,
    )
  })

  it('of an earlier version is encrypted, and plain copies are removed', async () => {
    const request = indexedDB.open(`toolbox-outbox:${ANN}`, 1)
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore('entries', { keyPath: 'id', autoIncrement: true })
      request.result.createObjectStore('photos')
    })
    const old = await promisifyRequest(request)
    const writing = old.transaction(['entries', 'photos'], 'readwrite')
    writing.objectStore('entries').add({ ...note('Gate code 4711'), tries: 0, notBefore: 0, refusal: null })
    writing.objectStore('photos').add(new Uint8Array([1, 2, 3]).buffer, 1)
    await promisifyRequest(writing)
    old.close()
    const copies = indexedDB.open(`toolbox:${ANN}`, 1)
    copies.addEventListener('upgradeneeded', () => copies.result.createObjectStore('queries'))
    const plain = await promisifyRequest(copies)
    plain.transaction('queries', 'readwrite').objectStore('queries').add('Carla Customer', 'cache')
    plain.close()
    localStorage.setItem('toolbox.offline-owner', ANN)

    expect((await outboxStore.all(ANN)).map(({ command }) => command)).toEqual([
      { kind: 'note', body: 'Gate code 4711' },
    ])
    expect(bytesOf(await rowsOf(`toolbox-outbox:${ANN}`, 'entries'))).not.toContain('4711')
    expect([...new Uint8Array((await outboxStore.photo(ANN, 1)) ?? new ArrayBuffer(0))]).toEqual([1, 2, 3])
    expect((await outboxStore.all(ANN)).map(({ id }) => id)).toEqual([1])
    expect(await deviceStore.read('cache')).toBeUndefined()
    expect(await rowsOf(`toolbox:${ANN}`, 'queries')).toEqual([])
  })
})

describe('key lease', () => {
  it('allows offline work for the day, over every restart', async () => {
    const start = Date.now()
    await deviceStore.write(ANN, 'cache', 'Carla Customer')
    server.goOffline()
    at(start + 11 * HOUR)
    await reload()
    expect(await deviceStore.read('cache')).toBe('Carla Customer')
    await outboxStore.add(ANN, note('Done in the basement'))
    await reload()
    expect(await outboxStore.all(ANN)).toHaveLength(1)
  })

  it.each([
    ['is over', 12 * HOUR + 60_000],
    ['is looked at with a clock that was turned back', -HOUR],
  ])('makes data unreadable once it %s, until the server is reached', async (_how, shift) => {
    const start = Date.now()
    await deviceStore.write(ANN, 'cache', 'Carla Customer')
    await outboxStore.add(ANN, note('Gate code 4711'))
    server.goOffline()
    at(start + shift)
    await reload()
    expect(await deviceStore.read('cache')).toBeUndefined()
    expect(await why(outboxStore.all(ANN))).toBe('offline')
    expect((await rowsOf(KEYS_DATABASE, 'keys')).filter((row) => typeof row === 'object')).toEqual([])
    server.goOnline()
    expect(await outboxStore.all(ANN)).toHaveLength(1)
    expect(await deviceStore.read('cache')).toBe('Carla Customer')
  })

  it('of zero keeps no key on the device', async () => {
    const given = {
      orgId: 'o1',
      accountId: 'ann',
      storeKey: btoa('s'.repeat(32)),
      unsentKey: btoa('u'.repeat(32)),
      leaseSeconds: 0,
    }
    server.on('POST', KEYS, { body: given })
    await deviceStore.write(ANN, 'cache', 'Carla Customer')
    expect(await deviceStore.read('cache')).toBe('Carla Customer')
    server.goOffline()
    await reload()
    expect(await deviceStore.read('cache')).toBeUndefined()
    expect((await rowsOf(KEYS_DATABASE, 'keys')).filter((row) => typeof row === 'object')).toEqual([])
  })

  it('closes the page when it expires offline, and continues when renewed', async () => {
    const start = Date.now()
    const [renewed, close] = [vi.fn<() => void>(), vi.fn<() => void>()]
    let stop = startKeyLease(ANN, renewed, close)
    await vi.waitFor(() => expect(renewed).toHaveBeenCalledOnce())
    const clock = at(start + 13 * HOUR)
    document.dispatchEvent(new Event('visibilitychange'))
    await vi.waitFor(() => expect(renewed).toHaveBeenCalledTimes(2))
    expect(close).not.toHaveBeenCalled()
    expect(document.body.style.visibility).toBe('')
    server.goOffline()
    clock.mockReturnValue(start + 26 * HOUR)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(document.body.style.visibility).toBe('hidden')
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce())
    stop()
    stop = () => undefined
    await reload()
    expect(await why(storeKeys.need(ANN))).toBe('offline')
  })
})

describe('ended session', () => {
  it('deletes copies and keys; unsent work stays for the same user', async () => {
    await deviceStore.write(ANN, 'cache', 'Carla Customer')
    await outboxStore.add(ANN, note('Gate code 4711'))
    endSession()
    const [renewed, close] = [vi.fn<() => void>(), vi.fn<() => void>()]
    const stop = startKeyLease(ANN, renewed, close)
    await vi.waitFor(() => expect(sessionExpired.current()).toBe(false))
    await why(storeKeys.renew(ANN))
    globalThis.dispatchEvent(new Event('online'))
    await vi.waitFor(() => expect(sessionExpired.current()).toBe(true))
    stop()
    await reload()
    localStorage.setItem('toolbox.offline-owner', ANN)
    expect(await deviceStore.read('cache')).toBeUndefined()
    expect(await why(outboxStore.all(ANN))).toBe('signed-out')
    expect(bytesOf(await rowsOf(`toolbox-outbox:${ANN}`, 'entries'))).not.toContain('4711')

    signIn(bob)
    expect(await why(outboxStore.all(ANN))).toBe('other')
    expect(await flushOutbox(ANN, hooks)).toBe('other')
    await outboxStore.add(BOB, note('Bob was here'))
    await wipeDevice(BOB)
    await vi.waitFor(async () => expect(await outboxStore.owners()).toEqual([ANN]))

    signIn(ann)
    await reload()
    expect(await flushOutbox(ANN, hooks)).toBe('done')
    const sent = server.requests.filter(({ method }) => method === 'POST')
    expect(await Promise.all(sent.map((request) => request.json()))).toEqual([
      expect.objectContaining({ body: 'Gate code 4711' }),
    ])
  })

  it('busy server: data stays locked, nothing is lost', async () => {
    await outboxStore.add(ANN, note('Gate code 4711'))
    await storeKeys.delete()
    server.on('POST', KEYS, buildProblemResponse(buildProblem(503, 'unavailable')))
    expect(await why(outboxStore.all(ANN))).toBe('waiting')
    expect(await rowsOf(`toolbox-outbox:${ANN}`, 'entries')).toHaveLength(1)
  })
})
