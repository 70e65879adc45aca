import 'fake-indexeddb/auto'
import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { storeKeys } from '@/offline/store-keys'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { buildCustomer, buildPersonalData } from '@/testing/customer-builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadCrewScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`
const elm = { id: buildId(), label: null, address: '9 Elm St', zip: '78701', notes: 'Gate 4711' }
const customer = buildCustomer({ properties: [elm] })
const PATH = `/api/customers/${customer.id}`
let server: FakeServer

function setConnection(isOnline: boolean): void {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  if (isOnline) server.goOnline()
  else server.goOffline()
  act(() => void globalThis.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
}

const edits = () => server.requests.filter(({ method }) => method === 'PATCH')
const waiting = () => screen.findByRole('list', { name: 'Changes on this device' })

async function openAndRename() {
  const app = renderApp(`/app/customers/${customer.id}`)
  await screen.findByRole('heading', { level: 1, name: customer.name })
  // The keys of the store are fetched with a connection.
  await storeKeys.need(OWNER)
  setConnection(false)
  await app.user.click(screen.getByRole('button', { name: 'Edit' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit the customer' }))
  const name = dialog.getByRole('textbox', { name: /^Name/ })
  await app.user.clear(name)
  await app.user.type(name, 'Ann Lee-Smith')
  await app.user.click(dialog.getByRole('button', { name: 'Save the customer' }))
  expect(await waiting()).toHaveTextContent('Name Ann Lee-SmithWaits for a connection')
  return app
}

beforeAll(() =>
  Promise.all([
    loadCrewScreens(),
    import('./customer.route'),
    import('./actions/edit-dialog'),
    import('./actions/property-dialog'),
  ]),
)

beforeEach(() => {
  outbox.reset()
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `${PATH}/personal-data`, { body: buildPersonalData(customer) })
  server.on('GET', PATH, { body: customer })
})

afterEach(async () => {
  outbox.reset()
  await outboxStore.forget(OWNER)
})

it('edit offline: waits, and is sent with the connection', async () => {
  await openAndRename()
  const renamed = { ...customer, name: 'Ann Lee-Smith' }
  server.on('PATCH', PATH, { body: renamed })
  server.on('GET', PATH, { body: renamed })
  server.requests.length = 0
  setConnection(true)
  expect(await screen.findByRole('heading', { level: 1, name: 'Ann Lee-Smith' })).toBeInTheDocument()
  expect(edits()).toHaveLength(1)
  expect(await edits()[0]?.json()).toEqual({ name: 'Ann Lee-Smith' })
  expect(screen.queryByRole('list', { name: 'Changes on this device' })).not.toBeInTheDocument()
})

it('edit offline: undone before it is sent', async () => {
  const app = await openAndRename()
  const list = await waiting()
  await app.user.click(within(list).getByRole('button', { name: /^Undo/ }))
  await waitFor(() => expect(list).not.toBeInTheDocument())
  server.requests.length = 0
  setConnection(true)
  expect(edits()).toEqual([])
})

it('edit offline, refused when it is sent: says why and keeps it', async () => {
  await openAndRename()
  server.on('PATCH', PATH, buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Another customer has it.' })))
  setConnection(true)
  await waitFor(async () => expect(await waiting()).toHaveTextContent('Not saved: Another customer has it.'))
})

const places = () => screen.findByRole('list', { name: 'Places on this device' })

async function openOffline() {
  const app = renderApp(`/app/customers/${customer.id}`)
  await screen.findByRole('heading', { level: 1, name: customer.name })
  await storeKeys.need(OWNER)
  setConnection(false)
  return app
}

it('notes on a place offline: wait, and are sent alone, so that its address stays as it is then', async () => {
  const app = await openOffline()
  await app.user.click(screen.getByRole('button', { name: 'Change 9 Elm St' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Change the place' }))
  expect(dialog.getByRole('button', { name: 'Remove' })).toBeDisabled()
  const notes = dialog.getByRole('textbox', { name: /^Notes/ })
  await app.user.clear(notes)
  await app.user.type(notes, 'Gate 1234, dog')
  await app.user.click(dialog.getByRole('button', { name: 'Save the place' }))
  expect(await places()).toHaveTextContent('Change of 9 Elm StGate 1234, dogWaits for a connection')
  const changed = { ...elm, notes: 'Gate 1234, dog' }
  server.on('PATCH', `${PATH}/properties/${elm.id}`, { body: changed })
  server.on('GET', PATH, { body: { ...customer, properties: [changed] } })
  server.requests.length = 0
  setConnection(true)
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Places on this device' })).not.toBeInTheDocument())
  expect(edits()).toHaveLength(1)
  expect(await edits()[0]?.json()).toEqual({ notes: 'Gate 1234, dog' })
  expect(await screen.findByText('Gate 1234, dog')).toBeInTheDocument()
})

it('new place offline: undone before it is sent', async () => {
  const app = await openOffline()
  await app.user.click(screen.getByRole('button', { name: 'Add place' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a place' }))
  await app.user.type(dialog.getByRole('textbox', { name: /^Address/ }), '7 Oak Ave')
  await app.user.click(dialog.getByRole('button', { name: 'Save the place' }))
  const list = await places()
  expect(list).toHaveTextContent('New place: 7 Oak AveWaits for a connection')
  await app.user.click(within(list).getByRole('button', { name: /^Undo/ }))
  await waitFor(() => expect(list).not.toBeInTheDocument())
  server.requests.length = 0
  setConnection(true)
  expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([])
})

it('review mark offline: shown as chosen, and waits', async () => {
  const app = await openOffline()
  const toggle = screen.getByRole('switch', { name: /^There is a problem/ })
  await app.user.click(toggle)
  expect(await waiting()).toHaveTextContent('There is a problemWaits for a connection')
  expect(toggle).toBeChecked()
})
