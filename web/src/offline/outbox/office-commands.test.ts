import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { sendAllOutboxes } from '@/sw/sync'
import { buildProblem, buildText, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { MAX_MESSAGE_WAIT_MS, type OutboxCommand } from './entry'
import { outbox } from './outbox'
import { outboxStore } from './outbox-store'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`
const AT = Date.parse('2026-11-20T15:00:00.000Z')
let server: FakeServer

const text = (body: string, byHand = false): OutboxCommand => ({
  kind: 'message',
  message: { channel: 'sms', body, ...(byHand ? { byHand } : {}) },
})
const add = (command: OutboxCommand, id = 'c1', key?: string) =>
  outbox.add({ jobId: id, jobName: 'Carla Customer', command, ...(key ? { key } : {}) })
const sent = () => server.requests.filter(({ method }) => method !== 'GET')
const paths = () => sent().map(({ method, url }) => `${method} ${new URL(url).pathname}`)
const bodies = () => Promise.all(sent().map((request) => request.json() as Promise<unknown>))

beforeEach(async () => {
  vi.useFakeTimers({ now: AT, toFake: ['Date'] })
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('POST', /^\/api\/customers\/.*\/messages$/, { status: 201, body: buildText({}) })
  server.on('POST', /^\/api\/leads\/.*\/stage$/, { body: { id: 'l1' } })
  server.on('PATCH', /^\/api\/customers\//, { body: { id: 'c1' } })
  server.on('POST', /^\/api\/customers\/.*\/properties$/, { status: 201, body: { id: 'p1' } })
  server.on('PUT', /^\/api\/leads\/.*\/owner$/, { body: { id: 'l1' } })
  server.on('POST', /^\/api\/reviews\/.*\/reply$/, { body: { id: 'r1' } })
  server.on('POST', /^\/api\/worklist\//, { status: 204 })
  outbox.reset()
  await outbox.open(OWNER)
})

afterEach(async () => {
  vi.useRealTimers()
  outbox.reset()
  await outboxStore.forget(OWNER)
})

it('message, lead move and customer edit: sent once each, under the keys they began with', async () => {
  server.goOffline()
  await add(text('On my way'), 'c1', 'a'.repeat(32))
  await add({ kind: 'lead_stage', to: 'New', reason: 'wrong house' }, 'l1')
  await add({ kind: 'customer', change: { phone: null } })
  expect(await outbox.send()).toBe('offline')
  server.goOnline()
  server.requests.length = 0
  await Promise.all([outbox.send(), sendAllOutboxes()])
  expect(await outbox.send()).toBe('done')
  expect(paths().toSorted()).toEqual([
    'PATCH /api/customers/c1',
    'POST /api/customers/c1/messages',
    'POST /api/leads/l1/stage',
  ])
  expect(
    sent()
      .find(({ url }) => url.endsWith('/messages'))
      ?.headers.get('Idempotency-Key'),
  ).toBe('a'.repeat(32))
  expect(await bodies()).toEqual(
    expect.arrayContaining([
      { channel: 'sms', body: 'On my way' },
      { stage: 'New', reason: 'wrong house' },
      { phone: null },
    ]),
  )
})

it('message: kept encrypted', async () => {
  server.goOffline()
  await add(text('The key is under the mat'))
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open(`toolbox-outbox:${OWNER}`)
    request.addEventListener('success', () => resolve(request.result))
  })
  const rows = await new Promise<unknown[]>((resolve) => {
    const request = database.transaction('entries').objectStore('entries').getAll()
    request.addEventListener('success', () => resolve(request.result as unknown[]))
  })
  database.close()
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('mat')
})

it('message that waited more than 15 minutes: sent only after a person confirms it', async () => {
  server.goOffline()
  const entry = await add(text('There in 10 minutes'))
  vi.setSystemTime(AT + MAX_MESSAGE_WAIT_MS + 1)
  server.goOnline()
  server.requests.length = 0
  // The browser is not asked to try again.
  await sendAllOutboxes()
  expect(await outbox.send()).toBe('done')
  expect(paths()).toEqual([])
  expect(await outboxStore.all(OWNER)).toHaveLength(1)
  await outbox.confirm(entry)
  expect(await outbox.send()).toBe('done')
  expect(paths()).toEqual(['POST /api/customers/c1/messages'])
})

it('message that waited too long: later ones to the same customer wait behind it, others do not', async () => {
  server.goOffline()
  await add(text('First'))
  vi.setSystemTime(AT + MAX_MESSAGE_WAIT_MS + 1)
  await add(text('Second'))
  await add(text('To another'), 'c2')
  await add({ kind: 'customer', change: { name: 'Carl' } })
  server.goOnline()
  server.requests.length = 0
  await outbox.send()
  expect(paths()).toEqual(['POST /api/customers/c2/messages', 'PATCH /api/customers/c1'])
})

it('text from the own phone: recorded whenever the connection is back', async () => {
  server.goOffline()
  await add(text('I am here', true))
  vi.setSystemTime(AT + 24 * 60 * 60_000)
  server.goOnline()
  expect(await outbox.send()).toBe('done')
  expect(paths()).toEqual(['POST /api/customers/c1/messages'])
})

it('refused message: kept with its reason, and the next to this customer waits', async () => {
  server.on(
    'POST',
    '/api/customers/c1/messages',
    buildProblemResponse(buildProblem(409, 'conflict', { detail: 'They texted STOP.' })),
  )
  await add(text('First'))
  await add(text('Second'))
  await outbox.send()
  expect(paths()).toEqual(['POST /api/customers/c1/messages'])
  expect(outbox.current().map(({ refusal }) => refusal)).toEqual(['They texted STOP.', null])
})

it('undo: removes what was not sent, and says when it was', async () => {
  server.goOffline()
  const entry = await add(text('Oops'))
  expect(await outbox.undo(entry)).toBe(true)
  expect(outbox.current()).toEqual([])
  server.goOnline()
  const other = await add(text('Gone'))
  await outbox.send()
  expect(await outbox.undo(other)).toBe(false)
})

it('record that is gone: says so, without words about crews', async () => {
  server.on('PATCH', '/api/customers/c1', buildProblemResponse(buildProblem(404, 'not_found')))
  await add({ kind: 'customer', change: { name: 'Carl' } })
  await outbox.send()
  expect(outbox.current()[0]?.refusal).toBe('This no longer exists.')
})

const HOUR_MS = 60 * 60_000
const later = (ms: number) => new Date(AT + ms).toISOString()
const SINCE = later(-HOUR_MS)

it('places, owners, answers to reviews and marks: each is the request of its own screen', async () => {
  server.goOffline()
  const sam = { id: 'u2', name: 'Sam Office' }
  await add({ kind: 'property', address: '9 Elm St', change: { address: '9 Elm St', notes: 'Gate 4711' } }, 'c1', 'k1')
  await add({ kind: 'property', propertyId: 'p1', address: '9 Elm St', change: { notes: null } })
  await add({ kind: 'lead_owner', to: sam }, 'l1')
  await add({ kind: 'review_reply', text: 'Sorry, Ben.' }, 'r1')
  await add({ kind: 'work_done', since: SINCE }, 'answer:c1')
  await add({ kind: 'work_snooze', since: SINCE, until: later(HOUR_MS) }, 'collect:i1')
  await add({ kind: 'work_assign', to: null }, 'answer:c2')
  server.goOnline()
  server.requests.length = 0
  expect(await outbox.send()).toBe('done')
  expect(paths()).toEqual([
    'POST /api/customers/c1/properties',
    'PATCH /api/customers/c1/properties/p1',
    'PUT /api/leads/l1/owner',
    'POST /api/reviews/r1/reply',
    'POST /api/worklist/answer%3Ac1/done',
    'POST /api/worklist/collect%3Ai1/snooze',
    'POST /api/worklist/answer%3Ac2/assign',
  ])
  expect(await bodies()).toEqual([
    { address: '9 Elm St', notes: 'Gate 4711' },
    { notes: null },
    { ownerUserId: 'u2' },
    { text: 'Sorry, Ben.' },
    { since: SINCE },
    { since: SINCE, until: later(HOUR_MS) },
    { accountId: null },
  ])
  expect(sent()[0]?.headers.get('Idempotency-Key')).toBe('k1')
  expect(outbox.current()).toEqual([])
})

it.each([
  { kind: 'work_done', since: SINCE },
  { kind: 'work_snooze', since: SINCE, until: later(HOUR_MS) },
] as const)('mark of an item where nobody waits any more: is over, $kind', async (command) => {
  server.on('POST', /^\/api\/worklist\//, buildProblemResponse(buildProblem(404, 'not_found')))
  await add(command, 'answer:c1')
  expect(await outbox.send()).toBe('done')
  expect(outbox.current()).toEqual([])
})

it('snooze whose time has come: not sent', async () => {
  server.goOffline()
  await add({ kind: 'work_snooze', since: SINCE, until: later(HOUR_MS) }, 'answer:c1')
  vi.setSystemTime(AT + HOUR_MS)
  server.goOnline()
  server.requests.length = 0
  expect(await outbox.send()).toBe('done')
  expect(paths()).toEqual([])
  expect(await outboxStore.all(OWNER)).toEqual([])
})

it('mark of an item where something newer waits: kept with the reason', async () => {
  const detail = 'Something new came in. Nothing was changed.'
  server.on('POST', /^\/api\/worklist\//, buildProblemResponse(buildProblem(409, 'conflict', { detail })))
  await add({ kind: 'work_done', since: SINCE }, 'answer:c1')
  await outbox.send()
  expect(outbox.current()[0]?.refusal).toBe(detail)
})
