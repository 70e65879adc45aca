import 'fake-indexeddb/auto'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { storeKeys } from '@/offline/store-keys'
import { buildUser } from '@/testing/builders'
import { loadCrewScreens, loadJobScreens } from '@/testing/load-screens'
import { getCard, openJob, startJobServer } from '@/testing/open-job'

const user = buildUser()
const OWNER = `${user.orgId}:${user.id}`

beforeAll(() => Promise.all([loadJobScreens(), loadCrewScreens()]))
afterEach(async () => {
  // A flush that outlives the file would find no database.
  cleanup()
  await vi.waitUntil(() => !outbox.isSending())
  outbox.reset()
  await outboxStore.forget(OWNER)
})

it('note of the office offline: waits on the job, and is sent once with the connection', async () => {
  outbox.reset()
  const server = startJobServer(user)
  const { job, person } = await openJob(server)
  await storeKeys.need(OWNER)
  const setConnection = (isOnline: boolean) => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
    if (isOnline) server.goOnline()
    else server.goOffline()
    act(() => void globalThis.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
  }
  setConnection(false)
  await person.type(screen.getByRole('textbox', { name: 'New note' }), 'Gate code 4711')
  await person.click(getCard('Crew Notes').getByRole('button', { name: 'Add note' }))
  const list = await screen.findByRole('list', { name: 'Notes on this device' })
  expect(within(list).getByText('Gate code 4711')).toBeInTheDocument()
  expect(within(list).getByText('Waits for a connection')).toBeInTheDocument()
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'New note' })).toHaveValue(''))

  const note = { id: 'n1', body: 'Gate code 4711', author: user.name, at: '2026-11-20T15:00:00.000Z' }
  server.on('POST', `/api/jobs/${job.id}/notes`, { status: 201, body: note })
  server.on('GET', `/api/jobs/${job.id}`, { body: { ...job, notes: [note] } })
  server.requests.length = 0
  setConnection(true)
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Notes on this device' })).not.toBeInTheDocument())
  expect(screen.getByText('Gate code 4711')).toBeInTheDocument()
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

it('tick of the office offline: shown at once, waits on the job, and can be undone', async () => {
  outbox.reset()
  const server = startJobServer(user)
  const line = { id: 'k1', label: 'Water off', doneAt: null, doneBy: null }
  const { person } = await openJob(server, { checklist: [line] })
  await storeKeys.need(OWNER)
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  server.goOffline()
  act(() => void globalThis.dispatchEvent(new Event('offline')))
  const card = getCard('Checklist')
  await person.click(card.getByRole('checkbox', { name: /^Water off/ }))
  expect(await card.findByText('Waits for a connection')).toBeInTheDocument()
  expect(card.getByRole('checkbox', { name: /^Water off/ })).toBeChecked()
  await person.click(card.getByRole('button', { name: 'Undo: Water off' }))
  await waitFor(() => expect(card.getByRole('checkbox', { name: /^Water off/ })).not.toBeChecked())
})
