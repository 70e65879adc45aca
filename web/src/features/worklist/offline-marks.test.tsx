import 'fake-indexeddb/auto'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { OutboxSync } from '@/testing/outbox-sync'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { storeKeys } from '@/offline/store-keys'
import { buildProblem, buildUser } from '@/testing/builders'
import { buildProblemResponse, type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { buildWorkItem } from '@/testing/work-builders'
import { Worklist } from './components/worklist'
import './actions/assign-sheet'
import './actions/snooze-sheet'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`
const ana = buildWorkItem({ customerName: 'Ana Arroyo' })
const ben = buildWorkItem({ customerName: 'Ben Builder' })
const sam = { ...buildUser({ name: 'Sam Office' }), isActive: true }
let server: FakeServer
/** What the server has. */
let waiting: Schema['WorkItem'][] = []

const rows = () => within(screen.getByRole('list', { name: /^Waiting for you/ })).getAllByRole('listitem')
const names = () => rows().map((row) => within(row).getAllByRole('link')[0]?.textContent)
const changes = () =>
  server.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url }) => `${method} ${new URL(url).pathname}`)
const path = (item: Schema['WorkItem'], what: string) => `/api/worklist/${encodeURIComponent(item.key)}/${what}`
const pendingList = () => screen.findByRole('list', { name: 'Changes on this device' })

function setConnection(isOnline: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  if (isOnline) server.goOnline()
  else server.goOffline()
  act(() => void globalThis.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
}

async function open() {
  const app = renderSignedIn(
    <>
      <OutboxSync />
      <Worklist />
    </>,
  )
  await screen.findByText('2 waiting, 1 late')
  await screen.findByText('Ana Arroyo')
  // The keys of the store are fetched with a connection.
  await storeKeys.need(OWNER)
  return app
}

beforeEach(() => {
  outbox.reset()
  waiting = [ana, ben]
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/team', { body: [sam] })
  server.on('GET', '/api/schedule', { body: { jobs: [] } })
  server.on('GET', '/api/worklist', () => ({ body: waiting, headers: { 'X-Total-Count': String(waiting.length) } }))
  server.on('GET', '/api/worklist/count', () => ({ body: { waiting: waiting.length, late: 1, isCapped: false } }))
})

afterEach(async () => {
  // A flush that outlives the test would find no database.
  cleanup()
  await vi.waitUntil(() => !outbox.isSending())
  outbox.reset()
  await outboxStore.forget(OWNER)
})

async function markAnaOffline() {
  const app = await open()
  setConnection(false)
  expect(screen.getByText('You are offline. What you mark here is sent when you are back online.')).toBeInTheDocument()
  await app.user.click(screen.getByRole('button', { name: 'Mark as done: Ana Arroyo' }))
  expect(await pendingList()).toHaveTextContent('Ana Arroyo: marked as doneWaits for a connection')
  expect(names()).toEqual(['Ben Builder'])
  expect(await screen.findByText('1 waiting, 1 late')).toBeInTheDocument()
  return app
}

it('done offline: off the list, and sent once with the connection', async () => {
  await markAnaOffline()
  server.on('POST', path(ana, 'done'), () => {
    waiting = [ben]
    return { status: 204 }
  })
  server.requests.length = 0
  setConnection(true)
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Changes on this device' })).not.toBeInTheDocument())
  expect(changes()).toEqual([`POST ${path(ana, 'done')}`])
  expect(await server.requests.find(({ method }) => method === 'POST')?.json()).toEqual({ since: ana.since })
  expect(names()).toEqual(['Ben Builder'])
  expect(screen.getByText('1 waiting, 1 late')).toBeInTheDocument()
})

it('done offline: undone before it is sent', async () => {
  const app = await markAnaOffline()
  await app.user.click(within(await pendingList()).getByRole('button', { name: /^Undo/ }))
  await waitFor(() => expect(names()).toEqual(['Ana Arroyo', 'Ben Builder']))
  expect(screen.getByText('2 waiting, 1 late')).toBeInTheDocument()
  server.requests.length = 0
  setConnection(true)
  expect(changes()).toEqual([])
})

it('done offline, and something newer waits when it is sent: back on the list with the reason', async () => {
  await markAnaOffline()
  const detail = 'Something new came in. Nothing was changed.'
  server.on('POST', path(ana, 'done'), buildProblemResponse(buildProblem(409, 'conflict', { detail })))
  setConnection(true)
  await waitFor(async () => expect(await pendingList()).toHaveTextContent(`Not saved: ${detail}`))
  expect(names()).toEqual(['Ana Arroyo', 'Ben Builder'])
})

it('snooze offline: names the time', async () => {
  const app = await open()
  setConnection(false)
  await app.user.click(screen.getByRole('button', { name: 'Snooze: Ben Builder' }))
  await app.user.click(await screen.findByRole('button', { name: '1 hour' }))
  expect(await pendingList()).toHaveTextContent(/^Ben Builder: snoozed until /)
  expect(names()).toEqual(['Ana Arroyo'])
})

it('assign offline: shown on the row until it is undone', async () => {
  const app = await open()
  await app.user.click(screen.getByRole('button', { name: 'Assign: Ana Arroyo' }))
  const choice = await screen.findByRole('button', { name: 'Sam Office' })
  setConnection(false)
  await app.user.click(choice)
  expect(await pendingList()).toHaveTextContent('Ana Arroyo: assigned to Sam Office')
  expect(rows()[0]).toHaveTextContent('Sam Office')
  await app.user.click(within(await pendingList()).getByRole('button', { name: /^Undo/ }))
  await waitFor(() => expect(rows()[0]).not.toHaveTextContent('Sam Office'))
})
