import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { wipeDevice } from '@/offline/wipe-device'
import { buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import 'fake-indexeddb/auto'

let server: FakeServer
const icon = { setAppBadge: vi.fn<(count?: number) => Promise<void>>(), clearAppBadge: vi.fn<() => Promise<void>>() }

const answerUnread = (unread: number) =>
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Unread-Count': String(unread) } })

// First load of the screens, outside the test timeout.
beforeAll(() => Promise.all([import('@/features/inbox/inbox.route'), import('./staff-shell')]))

beforeEach(() => {
  Object.assign(navigator, icon)
  for (const call of Object.values(icon)) call.mockReset().mockResolvedValue(undefined)
  server = startFakeServer()
})

afterEach(() => {
  Reflect.deleteProperty(navigator, 'setAppBadge')
  Reflect.deleteProperty(navigator, 'clearAppBadge')
})

it('unread count: shown on link and icon, updated when read', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser() })
  answerUnread(3)
  renderApp('/app/inbox')
  const links = await screen.findAllByRole('link', { name: /^Inbox\s*3\s*unread$/ })
  expect(links.length).toBeGreaterThan(0)
  expect(icon.setAppBadge.mock.calls).toEqual([[3]])
  await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
  answerUnread(0)
  act(() => FakeEventSource.opened.at(-1)?.say('conversation', { id: 'c1' }))
  await waitFor(() => expect(icon.clearAppBadge).toHaveBeenCalledOnce())
  expect(screen.queryByText(/unread$/)).not.toBeInTheDocument()
})

it('unread count: not requested for the crew', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
  answerUnread(3)
  renderApp('/app/settings')
  await screen.findByRole('heading', { name: 'This is for the office' })
  expect(server.requests.filter(({ url }) => url.includes('/api/inbox'))).toEqual([])
  expect(icon.setAppBadge).not.toHaveBeenCalled()
})

it('unread count: removed from the icon at logout', async () => {
  await wipeDevice()
  expect(icon.clearAppBadge).toHaveBeenCalledOnce()
})
