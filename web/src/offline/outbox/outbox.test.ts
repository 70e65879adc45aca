import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sendAllOutboxes } from '@/sw/sync'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import type { OutboxCommand, OutboxEntry, PhotoOriginal } from './entry'
import { outbox } from './outbox'
import { outboxStore } from './outbox-store'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`
let server: FakeServer

const add = (command: OutboxCommand, jobId = 'j1', photo?: ArrayBuffer) =>
  outbox.add({ jobId, jobName: '#1007, Carla', command, ...(photo ? { photo } : {}) })
const note = (body: string): OutboxCommand => ({ kind: 'note', body })
const sent = () => server.requests.filter(({ method }) => method !== 'GET')
const keys = () => sent().map(({ headers }) => headers.get('Idempotency-Key'))
const paths = () => sent().map(({ url }) => new URL(url).pathname)
const left = async (): Promise<OutboxEntry[]> => outboxStore.all(OWNER)

beforeEach(async () => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('POST', /^\/api\/jobs\/.*\/(status|on-my-way|late)$/, { body: { id: 'j1' } })
  server.on('POST', /\/notes$/, { status: 201, body: { id: 'n1' } })
  server.on('POST', /\/files$/, { status: 201, body: [] })
  server.on('PATCH', /\/checklist\//, { body: { id: 'j1' } })
  outbox.reset()
  await outbox.open(OWNER)
})

afterEach(async () => {
  vi.useRealTimers()
  outbox.reset()
  await outboxStore.forget(OWNER)
})

describe('outbox offline', () => {
  it('keeps every entry over a restart, and sends it once under its first key', async () => {
    server.goOffline()
    const first = await add(note('Gate code 4711'))
    await add({ kind: 'status', to: 'completed' })
    expect(await outbox.send()).toBe('offline')
    outbox.reset()
    await outbox.open(OWNER)
    expect(outbox.current().map(({ command }) => command.kind)).toEqual(['note', 'status'])

    server.goOnline()
    server.requests.length = 0
    expect(await outbox.send()).toBe('done')
    expect(await outbox.send()).toBe('done')
    expect(paths()).toEqual(['/api/jobs/j1/notes', '/api/jobs/j1/status'])
    expect(keys()[0]).toBe(first.key)
    expect(await sent()[0]?.json()).toEqual({ body: 'Gate code 4711', happenedAt: first.happenedAt })
    expect(await left()).toEqual([])
  })

  it('entry before the owner is known: stored once known', async () => {
    outbox.reset()
    server.goOffline()
    const tapped = add(note('The key hangs in the shed'))
    expect(await left()).toEqual([])
    await outbox.open(OWNER)
    expect((await tapped).command).toEqual(note('The key hangs in the shed'))
    expect((await left()).map(({ command }) => command)).toEqual([note('The key hangs in the shed')])
    expect(outbox.current()).toHaveLength(1)
  })

  it('photo: keeps its bytes and is sent as a file', async () => {
    await add(
      {
        kind: 'photo',
        moment: 'after',
        name: 'roof.jpg',
        type: 'image/jpeg',
        takenAt: '2026-11-21T15:00:00.000Z',
        caption: 'New ridge',
      },
      'j1',
      new Uint8Array([255, 216, 1]).buffer,
    )
    const append = vi.spyOn(FormData.prototype, 'append')
    expect(await outbox.send()).toBe('done')
    expect(paths()).toEqual(['/api/jobs/j1/files'])
    const [moment, takenAt, caption, files] = append.mock.calls
    expect([moment, takenAt, caption]).toEqual([
      ['moment', 'after'],
      ['takenAt', '2026-11-21T15:00:00.000Z'],
      ['caption', 'New ridge'],
    ])
    expect(files).toEqual(['files', expect.objectContaining({ size: 3, type: 'image/jpeg' }), 'roof.jpg'])
    expect(await left()).toEqual([])
  })

  describe('annotated copy', () => {
    const photo = (name: string, copyOf?: PhotoOriginal): OutboxCommand => ({
      kind: 'photo',
      moment: 'before',
      name,
      type: 'image/jpeg',
      takenAt: '2026-11-21T15:00:00.000Z',
      ...(copyOf ? { copyOf } : {}),
    })
    const bytes = () => new Uint8Array([255, 216, 1]).buffer
    const named = (append: { mock: { calls: unknown[][] } }) =>
      append.mock.calls.flatMap(([field, value]) => (field === 'madeFrom' ? [value] : []))

    it('names the server’s original, also when it is sent later', async () => {
      server.on('POST', /\/files$/, { status: 201, body: [{ id: 'f-leak' }] })
      server.goOffline()
      const original = await add(photo('leak.jpg'), 'j1', bytes())
      await add(photo('leak (marked).jpg', { entryId: original.id }), 'j1', bytes())
      await add(photo('tap (marked).jpg', { fileId: 'f-tap' }), 'j1', bytes())
      expect(await outbox.send()).toBe('offline')
      server.goOnline()
      const append = vi.spyOn(FormData.prototype, 'append')
      expect(await outbox.send()).toBe('done')
      expect(named(append)).toEqual(['f-leak', 'f-tap'])
    })

    it('names the original that was sent while drawing', async () => {
      server.on('POST', /\/files$/, { status: 201, body: [{ id: 'f-leak' }] })
      const original = await add(photo('leak.jpg'), 'j1', bytes())
      expect(await outbox.send()).toBe('done')
      const append = vi.spyOn(FormData.prototype, 'append')
      await add(photo('leak (marked).jpg', { entryId: original.id }), 'j1', bytes())
      expect(await outbox.send()).toBe('done')
      expect(named(append)).toEqual(['f-leak'])
    })

    it('names none when the original was discarded', async () => {
      server.goOffline()
      const original = await add(photo('leak.jpg'), 'j1', bytes())
      await add(photo('leak (marked).jpg', { entryId: original.id }), 'j1', bytes())
      await outbox.discard(original)
      server.goOnline()
      const append = vi.spyOn(FormData.prototype, 'append')
      expect(await outbox.send()).toBe('done')
      expect(named(append)).toEqual([])
      expect(await left()).toEqual([])
    })
  })

  it('lost response: retried under the same key', async () => {
    let isBroken = true
    server.on('POST', /\/notes$/, () => {
      if (isBroken) throw new TypeError('Failed to fetch')
      return { status: 201, body: { id: 'n1' } }
    })
    await add(note('Once'))
    expect(await outbox.send()).toBe('offline')
    isBroken = false
    expect(await outbox.send()).toBe('done')
    expect(new Set(keys()).size).toBe(1)
    expect(keys()).toHaveLength(2)
  })

  it('captive portal page: not a server answer', async () => {
    vi.stubGlobal(
      'fetch',
      async () =>
        new Response('<html>Sign in to the Wi-Fi</html>', { status: 200, headers: { 'Content-Type': 'text/html' } }),
    )
    await add(note('Kept'))
    expect(await outbox.send()).toBe('waiting')
    expect(await left()).toHaveLength(1)
  })
})

describe('two concurrent flushes', () => {
  it('send nothing twice', async () => {
    await add(note('One'))
    await add(note('Two'))
    await Promise.all([outbox.send(), outbox.send(), sendAllOutboxes()])
    expect(paths()).toEqual(['/api/jobs/j1/notes', '/api/jobs/j1/notes'])
    expect(new Set(keys()).size).toBe(2)
  })
})

describe('refused entry', () => {
  it('is kept with its reason; notes and ticks go on, later status changes wait, other jobs go on', async () => {
    server.on(
      'POST',
      '/api/jobs/j1/status',
      buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Olive cancelled this job at 10:12 AM.' })),
    )
    await add({ kind: 'status', to: 'in_progress' })
    await add(note('The valve is behind the boiler'))
    await add({ kind: 'check', checkId: 'c1', done: true })
    await add({ kind: 'status', to: 'completed' })
    await add({ kind: 'status', to: 'in_progress' }, 'j2')
    expect(await outbox.send()).toBe('waiting')
    expect(paths()).toEqual([
      '/api/jobs/j1/status',
      '/api/jobs/j1/notes',
      '/api/jobs/j1/checklist/c1',
      '/api/jobs/j2/status',
    ])
    const [refused, behind] = await left()
    expect(refused?.refusal).toBe('Olive cancelled this job at 10:12 AM.')
    expect(behind).toMatchObject({ refusal: null, command: { to: 'completed' } })

    if (refused) await outbox.discard(refused)
    server.on('POST', '/api/jobs/j1/status', { body: { id: 'j1' } })
    expect(await outbox.send()).toBe('done')
  })

  it('shows the field’s message, and is retried under its old key', async () => {
    server.on(
      'POST',
      '/api/jobs/j1/status',
      buildProblemResponse(
        buildProblem(422, 'validation_failed', {
          detail: 'Look again.',
          errors: { photos: 'Add a photo taken after the work first.' },
        }),
      ),
    )
    const entry = await add({ kind: 'status', to: 'completed' })
    await outbox.send()
    expect(outbox.current()[0]?.refusal).toBe('Add a photo taken after the work first.')
    server.on('POST', '/api/jobs/j1/status', { body: { id: 'j1' } })
    await outbox.again(entry)
    expect(await outbox.send()).toBe('done')
    expect(keys()).toEqual([entry.key, entry.key])
  })

  it('job moved to another crew: says so', async () => {
    server.on('POST', '/api/jobs/j1/notes', buildProblemResponse(buildProblem(404, 'not_found')))
    await add(note('Late'))
    expect(await outbox.send()).toBe('done')
    expect(outbox.current()[0]?.refusal).toBe('This job is no longer assigned to your crew. Tell the office.')
  })

  it('is never sent as another user', async () => {
    await add(note('Mine'))
    server.on('GET', '/api/auth/me', { body: buildUser() })
    expect(await outbox.send()).toBe('other')
    expect(sent()).toEqual([])
    expect(await left()).toHaveLength(1)
  })

  it('waits for its user to sign in again', async () => {
    server.on('GET', '/api/auth/me', buildProblemResponse(buildProblem(401, 'unauthenticated')))
    await add(note('Mine'))
    expect(await outbox.send()).toBe('signed-out')
    expect(await left()).toHaveLength(1)
  })
})

describe('busy server', () => {
  it('is retried with growing delays; other jobs go on', async () => {
    server.on(
      'POST',
      '/api/jobs/j1/notes',
      buildProblemResponse(buildProblem(503, 'unavailable'), { 'Retry-After': '60' }),
    )
    await add(note('One'))
    await add({ kind: 'status', to: 'in_progress' })
    await add(note('Other'), 'j2')
    expect(await outbox.send()).toBe('waiting')
    expect(paths()).toEqual(['/api/jobs/j1/notes', '/api/jobs/j2/notes'])
    const [first] = await left()
    expect(first?.tries).toBe(1)
    expect(first?.notBefore).toBeGreaterThan(Date.now() + 50_000)
    expect(await outbox.send()).toBe('waiting')
    expect(paths()).toHaveLength(2)
  })
})

describe('service worker', () => {
  it('sends with the app closed, and is called again while entries are left', async () => {
    server.goOffline()
    await add(note('One'))
    await expect(sendAllOutboxes()).rejects.toThrow('not empty')
    server.goOnline()
    await sendAllOutboxes()
    expect(await left()).toEqual([])
    await outbox.reload()
    expect(outbox.current()).toEqual([])
  })
})
