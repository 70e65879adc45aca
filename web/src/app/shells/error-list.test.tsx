// The list of what went wrong, from the bar's menu: how many are new, what they say, and how they go.
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { wipe } from '@/offline/wipe'
import { buildLead, buildUser } from '@/testing/builders'
import { startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { errorsOf } from '@/ui/toast/kept-errors'
import { toast } from '@/ui/toast/toast-store'
import 'fake-indexeddb/auto'

const user = buildUser()
const NOT_SENT = 'Could not send'

// A screen's first loading is no part of any story, and takes long on a busy machine.
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

it('says that nothing went wrong, and what would stand there', async () => {
  const app = await start()
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
  const list = await openList(app)
  expect(within(list).getByRole('heading', { name: 'Nothing went wrong' })).toBeInTheDocument()
  expect(within(list).queryByRole('button', { name: 'Clear the list' })).not.toBeInTheDocument()
})

it('counts what is new on the menu, and shows each with its words and its time', async () => {
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
  expect(screen.getAllByText('New')).toHaveLength(2)
})

it('is marked read: it stays, and is counted no more', async () => {
  const app = await start()
  fail(NOT_SENT)
  const list = await openList(app)
  await app.user.click(within(list).getByRole('button', { name: 'Mark all as read' }))
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
  expect(within(await openList(app)).getByText(NOT_SENT)).toBeInTheDocument()
  expect(screen.queryByText('New')).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Mark all as read' })).not.toBeInTheDocument()
})

it('takes the focus from the menu’s button, which stays, so that closing can give it back', async () => {
  const app = await start()
  await openList(app)
  expect(screen.getByRole('button', { name: 'Account and display' })).toHaveFocus()
})

it('is cleared', async () => {
  const app = await start()
  fail(NOT_SENT)
  await app.user.click(within(await openList(app)).getByRole('button', { name: 'Clear the list' }))
  expect(await openList(app)).toHaveTextContent('Nothing went wrong')
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
})

it('is there on the next screen too', async () => {
  const app = await start()
  fail(NOT_SENT)
  await app.user.click(screen.getAllByRole('link', { name: 'Security Admin' })[0] ?? document.body)
  await waitFor(() => expect(screen.queryByText('Ana Arroyo')).not.toBeInTheDocument())
  expect(within(await openList(app)).getByText(NOT_SENT)).toBeInTheDocument()
})

it('opens from the phone’s menu too, which closes', async () => {
  const app = await start()
  fail(NOT_SENT)
  await app.user.click(screen.getByRole('button', { name: 'More' }))
  const menu = screen.getByRole('dialog', { name: 'Menu' })
  await app.user.click(within(menu).getByRole('button', { name: /^Notifications\s*1\s*unread$/ }))
  expect(within(screen.getByRole('dialog', { name: 'Notifications' })).getByText(NOT_SENT)).toBeInTheDocument()
  expect(screen.queryByRole('dialog', { name: 'Menu' })).not.toBeInTheDocument()
})

it('is gone with who signed out', async () => {
  await start()
  fail(NOT_SENT)
  expect(errorsOf(user.id)).toHaveLength(1)
  await act(() => wipe())
  expect(errorsOf(user.id)).toEqual([])
  expect(screen.getByRole('button', { name: 'Account and display' })).toBeInTheDocument()
})
