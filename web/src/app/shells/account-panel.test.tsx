import 'fake-indexeddb/auto'
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { outbox } from '@/offline/outbox/outbox'
import { outboxStore } from '@/offline/outbox/outbox-store'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadCrewScreens, loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const user = buildUser()
let server: FakeServer

beforeAll(() => Promise.all([loadLeadScreens(), loadCrewScreens()]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', `/api/leads/${user.orgId}`, { body: [], headers: { 'X-Total-Count': '0' } })
})

it('theme: follows the system, or is chosen in the account menu', async () => {
  const app = renderApp('/app/leads')
  await app.user.click(await screen.findByRole('button', { name: /^Account and display/ }))
  const themes = within(screen.getByRole('group', { name: 'Theme' }))
  expect(themes.getAllByRole('radio').map((radio) => radio.closest('label')?.textContent)).toEqual([
    'System',
    'Light',
    'Dark',
  ])
  expect(themes.getByRole('radio', { name: 'System' })).toBeChecked()
  await app.user.click(themes.getByRole('radio', { name: 'Light' }))
  expect(document.documentElement.dataset['theme']).toBe('toolbox-day')
  await app.user.click(themes.getByRole('radio', { name: 'Dark' }))
  expect(document.documentElement.dataset['theme']).toBe('toolbox')
  expect(localStorage.getItem('toolbox.theme')).toBe('toolbox')
})

it('changes that wait on the device: shown above every screen, and undone there', async () => {
  outbox.reset()
  const app = renderApp('/app/leads')
  await screen.findByRole('button', { name: /^Account and display/ })
  server.goOffline()
  await act(async () => {
    const command = { kind: 'message', message: { channel: 'sms', body: 'On my way' } } as const
    await outbox.add({ jobId: 'c1', jobName: 'Carla Customer', command })
  })
  expect(await screen.findByText('1 change waits to be sent')).toBeInTheDocument()
  await app.user.click(screen.getByRole('button', { name: 'Show' }))
  const sheet = within(await screen.findByRole('dialog', { name: 'Not sent yet' }))
  expect(sheet.getByText('On my way')).toBeInTheDocument()
  await app.user.click(sheet.getByRole('button', { name: 'Undo: SMS' }))
  await waitFor(() => expect(screen.queryByText('1 change waits to be sent')).not.toBeInTheDocument())
  await outboxStore.forget(`${user.orgId}:${user.id}`)
})
