import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { setShortcutsOn } from '@/lib/shortcuts/shortcut-setting'
import { buildConversation, buildLead, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { buildProblemResponse, type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import 'fake-indexeddb/auto'
import { quickAccess } from './quick-access-store'

const user = buildUser()
const CUSTOMER_ID = '0190a0a0-0000-7000-8000-0000000000c1'
const LEAD_ID = '0190a0a0-0000-7000-8000-0000000000a1'
const NOTHING: Schema['SearchResults'] = { customers: [], leads: [], papers: [], jobs: [] }
const FOUND: Schema['SearchResults'] = {
  ...NOTHING,
  customers: [
    { kind: 'customer', pathKind: 'customer', id: CUSTOMER_ID, title: 'Ann Lee', subtitle: '(512) 555-0142' },
  ],
  papers: [{ kind: 'estimate', pathKind: 'lead', id: LEAD_ID, title: 'EST-1001', subtitle: 'Ann Lee' }],
}

let server: FakeServer

beforeAll(() =>
  Promise.all([
    loadLeadScreens(),
    import('../staff-shell'),
    import('./quick-access'),
    import('@/features/quick-add/add-call-dialog'),
  ]),
)

beforeEach(() => {
  setShortcutsOn(true)
  for (const part of ['palette', 'menu', 'shortcuts', 'record'] as const) quickAccess.close(part)
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', `/api/leads/${user.orgId}`, {
    body: [buildLead({ name: 'Ana Arroyo' })],
    headers: { 'X-Total-Count': '1' },
  })
  server.on('GET', '/api/search', (_, url) => ({ body: url.searchParams.get('q') === 'ann' ? FOUND : NOTHING }))
})

const start = async (path = '/app/leads') => {
  const app = renderApp(path)
  await screen.findByText('Ana Arroyo')
  await screen.findByRole('button', { name: 'Search' })
  return app
}

const openPalette = async (app: ReturnType<typeof renderApp>) => {
  await app.user.keyboard('{Control>}k{/Control}')
  return screen.findByRole('combobox', { name: /Search customers/ })
}

it('the palette groups what is found, and its keys move in the list while the field keeps the focus', async () => {
  const app = await start()
  const field = await openPalette(app)
  expect(field).toHaveFocus()
  await app.user.type(field, 'ann')
  const customer = await screen.findByRole('option', { name: /Ann Lee\s*Customer/ })
  expect(within(screen.getByRole('group', { name: 'Customers' })).getAllByRole('option')).toEqual([customer])
  expect(field).toHaveAttribute('aria-activedescendant', customer.id)
  expect(customer).toHaveAttribute('aria-selected', 'true')
  await app.user.keyboard('{ArrowDown}')
  const paper = screen.getByRole('option', { name: /EST-1001/ })
  expect(field).toHaveAttribute('aria-activedescendant', paper.id)
  await app.user.keyboard('{ArrowUp}{ArrowUp}{ArrowDown}')
  expect(field).toHaveAttribute('aria-activedescendant', customer.id)
  await waitFor(() => expect(screen.getByText(/^\d+ results?$/)).toBeInTheDocument())
  await app.user.type(field, 'zzz')
  expect(await screen.findByText(/Nothing found for “annzzz”/)).toBeInTheDocument()
})

it('one character and a missing connection ask the server nothing, and actions still work', async () => {
  const app = await start()
  const field = await openPalette(app)
  await app.user.type(field, 'l')
  expect(screen.getByRole('option', { name: 'Leads' })).toBeInTheDocument()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  act(() => {
    globalThis.dispatchEvent(new Event('offline'))
  })
  await app.user.type(field, 'ead')
  expect(await screen.findByText(/You're offline/)).toBeInTheDocument()
  expect(screen.getByRole('option', { name: 'New lead' })).toBeInTheDocument()
  expect(server.requests.filter(({ url }) => url.includes('/api/search'))).toEqual([])
})

it('shortcuts open search, the list of shortcuts and what can be added, and nothing while they are off', async () => {
  const app = await start()
  await app.user.keyboard('?')
  const sheet = await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })
  expect(within(sheet).getByText('Booked Jobs')).toBeInTheDocument()
  await app.user.click(within(sheet).getByRole('button', { name: 'Close' }))
  await app.user.keyboard('n')
  const menu = await screen.findByRole('dialog', { name: 'New' })
  expect(
    within(menu)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(['Lead', 'Customer', 'Estimate', 'Job', 'Invoice'])
  await app.user.click(within(menu).getByRole('button', { name: 'Close' }))
  act(() => setShortcutsOn(false))
  await app.user.keyboard('/')
  expect(screen.queryByRole('combobox', { name: /Search customers/ })).not.toBeInTheDocument()
})

it('a call is added with its number, and the known customer is named', async () => {
  server.on('GET', '/api/search', { body: FOUND })
  server.on('POST', '/api/leads', {
    status: 422,
    body: {
      type: 'about:blank',
      title: 'Invalid',
      status: 422,
      code: 'invalid',
      detail: 'Some fields do not fit.',
      errors: { 'customer.phone': 'Please enter a phone number with its area code' },
    },
  })
  const app = await start()
  act(() => quickAccess.open({ part: 'record', record: 'lead' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add a call' })
  await app.user.click(within(dialog).getByRole('button', { name: 'Add lead' }))
  expect(await within(dialog).findByText('Enter a phone number or a name')).toBeInTheDocument()
  await app.user.type(within(dialog).getByLabelText(/^Phone/), '+1 512.555.0142')
  await app.user.tab()
  expect(within(dialog).getByLabelText(/^Phone/)).toHaveValue('(512) 555-0142')
  expect(await within(dialog).findByText(/This is Ann Lee/)).toBeInTheDocument()
  await app.user.type(within(dialog).getByLabelText(/What do they want/), 'A leak')
  await app.user.click(within(dialog).getByRole('button', { name: 'Add lead' }))
  expect(await within(dialog).findByText('Please enter a phone number with its area code')).toBeInTheDocument()
  const sent = server.requests.find(({ method, url }) => method === 'POST' && url.endsWith('/api/leads'))
  expect(await sent?.clone().json()).toEqual({
    customer: { phone: '(512) 555-0142', source: 'Phone call' },
    notes: 'A leak',
    textBookingLink: false,
  })
  expect(sent?.headers.get('Idempotency-Key')).toBeTruthy()
})

it.each([
  [{ state: 'leaves', text: 'on its way', until: null }, 'Ann Lee. The text is on its way.'],
  [
    { state: 'held', text: 'held until 8:00 AM: it is night there', until: '2026-11-24T14:00:00Z' },
    'Ann Lee. The text is held until 8:00 AM: it is night there.',
  ],
  [
    { state: 'not_sent', text: 'your business has no number to send texts from', until: null },
    'Ann Lee. The text was not sent: your business has no number to send texts from.',
  ],
  [null, 'Ann Lee'],
] as const)('the toast of an added call says what becomes of the text: %j', async (outlook, said) => {
  const lead = buildLeadDetail({ name: 'Ann Lee' })
  server.on('POST', '/api/leads', { status: 201, body: { ...lead, outlook } })
  server.on('GET', `/api/leads/${lead.id}`, { body: lead })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', /^\/api\/leads\/[^/]+\/estimates$/, { body: [] })
  server.on('GET', /^\/api\/leads\/[^/]+\/money$/, buildProblemResponse(buildProblem(503, 'unavailable')))
  server.on('GET', '/api/jobs', { body: [] })
  server.on('GET', /^\/api\/inbox\/.+/, { body: buildConversation() })
  const app = await start()
  act(() => quickAccess.open({ part: 'record', record: 'lead' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add a call' })
  await app.user.type(within(dialog).getByLabelText(/^Phone/), '5125550142')
  await app.user.click(within(dialog).getByLabelText('Text them our booking link'))
  await app.user.click(within(dialog).getByRole('button', { name: 'Add lead' }))
  expect(await screen.findByText('Lead added')).toBeInTheDocument()
  expect(screen.getAllByText(said).length).toBeGreaterThan(0)
})

it('a number from the share sheet opens the call, and leaves the address', async () => {
  await start('/app/leads?shareTitle=Ann%20Lee&shareText=%28512%29%20555-0142')
  const dialog = await screen.findByRole('dialog', { name: 'Add a call' })
  expect(within(dialog).getByLabelText(/^Phone/)).toHaveValue('(512) 555-0142')
  expect(within(dialog).getByLabelText(/^Name/)).toHaveValue('Ann Lee')
})

it('a crew member searches their jobs and adds nothing', async () => {
  server.on('GET', '/api/auth/me', { body: buildUser({ role: 'crew' }) })
  const app = renderApp('/app/leads')
  await screen.findByRole('button', { name: 'Search' })
  expect(screen.queryByRole('button', { name: 'New' })).not.toBeInTheDocument()
  await app.user.keyboard('n')
  expect(screen.queryByRole('dialog', { name: 'New' })).not.toBeInTheDocument()
  await app.user.keyboard('/')
  expect(await screen.findByRole('combobox', { name: 'Search your jobs' })).toHaveFocus()
  expect(screen.queryByRole('option', { name: /New lead/ })).not.toBeInTheDocument()
})
