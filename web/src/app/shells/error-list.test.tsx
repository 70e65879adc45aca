import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { wipeDevice } from '@/offline/wipe-device'
import { buildLead, buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { getLoggedErrors } from '@/ui/toast/error-log'
import { toast } from '@/ui/toast/toast-store'
import 'fake-indexeddb/auto'

const user = buildUser()
const NOT_SENT = 'Could not send'

// First load of the screens, outside the test timeout.
beforeAll(() => Promise.all([loadLeadScreens(), import('./staff-shell')]))

beforeEach(() => {
  const server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `/api/leads/${user.orgId}`, {
    body: [buildLead({ name: 'Ana Arroyo' })],
    headers: { 'X-Total-Count': '1' },
  })
})

const start = async () => {
  const app = renderApp('/app/leads')
  await screen.findByText('Ana Arroyo')
  return app
}
const fail = (...words: [string, string?]) => {
  act(() => {
    toast.error(...words)
  })
}
const openMenu = async (app: ReturnType<typeof renderApp>) => {
  await app.user.click(screen.getByRole('button', { name: /^Account and display/ }))
  return screen.getByRole('button', { name: /^Notifications/ })
}
const openList = async (app: ReturnType<typeof renderApp>) => {
  await app.user.click(await openMenu(app))
  return screen.getByRole('dialog', { name: 'Notifications' })
}

it('empty log: says so and explains the list', async () => {
  const app = await start()
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
  const list = await openList(app)
  expect(within(list).getByRole('heading', { name: 'Nothing went wrong' })).toBeInTheDocument()
  expect(within(list).queryByRole('button', { name: 'Clear the list' })).not.toBeInTheDocument()
})

it('new errors: counted on the menu, listed with text and time', async () => {
  const app = await start()
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-20T15:04:05.000Z'))
  fail(NOT_SENT, 'The server is away')
  fail('Could not save')
  expect(screen.getByRole('button', { name: 'Account and display, 2 unread notifications' })).toBeInTheDocument()
  expect(await openMenu(app)).toHaveTextContent(/^Notifications2 unread$/)
  await app.user.click(screen.getByRole('button', { name: /^Notifications/ }))
  const items = within(screen.getByRole('list', { name: 'What went wrong' })).getAllByRole('listitem')
  expect(items.map((item) => item.querySelector('p')?.textContent)).toEqual(['Could not save', NOT_SENT])
  expect(items[1]).toHaveTextContent('The server is away')
  expect(items[1]?.querySelector('time')).toHaveAttribute('datetime', '2026-11-20T15:04:05.000Z')
  expect(items[1]).toHaveTextContent(/Nov 20, 2026, 9:04\sAM/)
  expect(items.flatMap((item) => within(item).queryAllByText('New'))).toHaveLength(2)
})

it('marked as read: kept and no longer counted', async () => {
  const app = await start()
  fail(NOT_SENT)
  const list = await openList(app)
  await app.user.click(within(list).getByRole('button', { name: 'Mark all as read' }))
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
  expect(within(await openList(app)).getByText(NOT_SENT)).toBeInTheDocument()
  expect(within(await openList(app)).queryByText('New')).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Mark all as read' })).not.toBeInTheDocument()
})

it('opening: takes the focus from the menu button, closing returns it', async () => {
  const app = await start()
  await openList(app)
  expect(screen.getByRole('button', { name: 'Account and display' })).toHaveFocus()
})

it('clearing: empties the list', async () => {
  const app = await start()
  fail(NOT_SENT)
  await app.user.click(within(await openList(app)).getByRole('button', { name: 'Clear the list' }))
  expect(await openList(app)).toHaveTextContent('Nothing went wrong')
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
})

it('next screen: the list is kept', async () => {
  const app = await start()
  fail(NOT_SENT)
  await app.user.click(screen.getAllByRole('link', { name: 'Security Admin' })[0] ?? document.body)
  await waitFor(() => expect(screen.queryByText('Ana Arroyo')).not.toBeInTheDocument())
  expect(within(await openList(app)).getByText(NOT_SENT)).toBeInTheDocument()
})

it('phone menu: opens the list and closes', async () => {
  const app = await start()
  fail(NOT_SENT)
  await app.user.click(screen.getByRole('button', { name: 'More' }))
  const menu = screen.getByRole('dialog', { name: 'Menu' })
  await app.user.click(within(menu).getByRole('button', { name: /^Notifications\s*1\s*unread$/ }))
  expect(within(screen.getByRole('dialog', { name: 'Notifications' })).getByText(NOT_SENT)).toBeInTheDocument()
  expect(screen.queryByRole('dialog', { name: 'Menu' })).not.toBeInTheDocument()
})

it('logout: the list is gone', async () => {
  await start()
  fail(NOT_SENT)
  expect(getLoggedErrors(user.id)).toHaveLength(1)
  await act(() => wipeDevice())
  expect(getLoggedErrors(user.id)).toEqual([])
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
})
