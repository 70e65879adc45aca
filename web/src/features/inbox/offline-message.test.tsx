import 'fake-indexeddb/auto'
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { MAX_MESSAGE_WAIT_MS } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { storeKeys } from '@/offline/store-keys'
import { buildConversation, buildProblem, buildText, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadCrewScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`
const id = 'c0ffee00-0000-4000-8000-000000000002'
const MESSAGES = `/api/customers/${id}/messages`
let server: FakeServer

function setConnection(isOnline: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  if (isOnline) server.goOnline()
  else server.goOffline()
  act(() => void globalThis.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
}

const sent = () => server.requests.filter(({ method, url }) => method === 'POST' && url.endsWith(MESSAGES))
const field = () => screen.findByRole('textbox', { name: 'Text message' })

async function openAndSend(words: string) {
  const app = renderApp(`/app/inbox/${id}`)
  await field()
  // The keys of the store are fetched with a connection.
  await storeKeys.need(OWNER)
  setConnection(false)
  await app.user.type(await field(), words)
  await app.user.click(screen.getByRole('button', { name: 'Send' }))
  expect(await screen.findByText('Waits for a connection')).toBeInTheDocument()
  return app
}

beforeAll(() => Promise.all([import('./inbox.route'), loadCrewScreens()]))

beforeEach(() => {
  outbox.reset()
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('POST', `/api/customers/${id}/read`, { status: 204 })
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Total-Count': '0', 'X-Unread-Count': '0' } })
  server.on('GET', `/api/customers/${id}/conversation`, { body: buildConversation({ customer: { id } }) })
})

afterEach(async () => {
  outbox.reset()
  await outboxStore.forget(OWNER)
})

it('offline: waits in the conversation, and leaves once with the connection', async () => {
  await openAndSend('On my way')
  expect(await field()).toHaveValue('')
  expect(await outboxStore.all(OWNER)).toHaveLength(1)
  server.requests.length = 0
  const message = buildText({ body: 'On my way', status: 'queued', statusText: 'waiting to be sent', attempts: 0 })
  server.on('POST', MESSAGES, { status: 201, body: message })
  setConnection(true)
  expect(await screen.findByText('Waiting to be sent')).toBeInTheDocument()
  expect(screen.queryByText('Waits for a connection')).not.toBeInTheDocument()
  expect(sent()).toHaveLength(1)
  expect(await sent()[0]?.json()).toEqual({ channel: 'sms', body: 'On my way' })
  await waitFor(async () => expect(await outboxStore.all(OWNER)).toEqual([]))
})

it('Undo: removes it, with its words back in the field', async () => {
  const app = await openAndSend('On my way')
  await app.user.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(screen.queryByText('Waits for a connection')).not.toBeInTheDocument())
  expect(await field()).toHaveValue('On my way')
  expect(await outboxStore.all(OWNER)).toEqual([])
})

it('refused when it leaves: shown with the reason, and its words go back into the field', async () => {
  const app = await openAndSend('On my way')
  server.on(
    'POST',
    MESSAGES,
    buildProblemResponse(buildProblem(409, 'conflict', { detail: 'They texted STOP. Nothing was sent.' })),
  )
  setConnection(true)
  expect(await screen.findByText('Not sent: They texted STOP. Nothing was sent.')).toBeInTheDocument()
  await app.user.click(screen.getByRole('button', { name: 'Edit' }))
  await waitFor(async () => expect(await field()).toHaveValue('On my way'))
})

it('waited too long: asks before it leaves', async () => {
  const app = await openAndSend('There in 10 minutes')
  app.unmount()
  const [entry] = await outboxStore.all(OWNER)
  if (!entry) throw new Error('one entry')
  const happenedAt = new Date(Date.now() - MAX_MESSAGE_WAIT_MS - 5 * 60_000).toISOString()
  await outboxStore.change(OWNER, { ...entry, happenedAt })
  server.on('POST', MESSAGES, { status: 201, body: buildText({ body: 'There in 10 minutes' }) })
  setConnection(true)
  server.requests.length = 0
  const again = renderApp(`/app/inbox/${id}`)
  expect(await screen.findByText('This waited for 20 min. Still send it?')).toBeInTheDocument()
  expect(sent()).toEqual([])
  const buttons = await screen.findAllByRole('button', { name: 'Send' })
  const inBubble = buttons.find((button) => button.closest('li'))
  if (!inBubble) throw new Error('a button in the bubble')
  await again.user.click(inBubble)
  await waitFor(() => expect(sent()).toHaveLength(1))
  expect(sent()[0]?.headers.get('Idempotency-Key')).toBe(entry.key)
})
