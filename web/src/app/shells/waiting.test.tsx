import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { wipeDevice } from '@/offline/wipe-device'
import { buildUser } from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'
import 'fake-indexeddb/auto'

let server: FakeServer
const icon = { setAppBadge: vi.fn<(count?: number) => Promise<void>>(), clearAppBadge: vi.fn<() => Promise<void>>() }

const answerWaiting = (waiting: number) =>
  server.on('GET', '/api/worklist/count', {
    body: { waiting, late: 0, isCapped: false } satisfies Schema['WorklistCount'],
  })

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

it('waiting count: on the link to the worklist and the icon, updated by any event, and on no other link', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Unread-Count': '7' } })
  answerWaiting(3)
  renderApp('/app/inbox')
  const links = await screen.findAllByRole('link', { name: /^Dashboard\s*3\s*waiting$/ })
  expect(links.length).toBeGreaterThan(0)
  for (const inbox of screen.getAllByRole('link', { name: /^Inbox/ })) expect(inbox).toHaveTextContent(/^Inbox$/)
  expect(icon.setAppBadge.mock.calls).toEqual([[3]])
  await waitFor(() => expect(FakeEventSource.opened).toHaveLength(1))
  answerWaiting(0)
  act(() => FakeEventSource.opened.at(-1)?.say('worklist', { key: 'answer:l1' }))
  await waitFor(() => expect(icon.clearAppBadge).toHaveBeenCalledOnce())
  expect(screen.queryByRole('link', { name: /waiting$/ })).not.toBeInTheDocument()
})

it('waiting count: not requested for the crew', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
  answerWaiting(3)
  renderApp('/app/settings')
  await screen.findByRole('heading', { name: 'This is for the office' })
  expect(server.requests.filter(({ url }) => url.includes('/api/worklist'))).toEqual([])
  expect(icon.setAppBadge).not.toHaveBeenCalled()
})

it('waiting count: removed from the icon at logout', async () => {
  await wipeDevice()
  expect(icon.clearAppBadge).toHaveBeenCalledOnce()
})
