import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { buildCustomer, buildPersonalData, buildSide, buildSummary } from '@/testing/customer-builders'
import type { Customer, MergePreview } from '../types'

let server: FakeServer

async function open(parts: Partial<Customer> = {}) {
  const customer = buildCustomer(parts)
  server.on('GET', `/api/customers/${customer.id}/personal-data`, { body: buildPersonalData(customer) })
  server.on('GET', `/api/customers/${customer.id}`, { body: customer })
  const { user } = renderApp(`/app/customers/${customer.id}`)
  await screen.findByRole('heading', { level: 1, name: customer.name })
  return { customer, user }
}

const sent = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeAll(() =>
  Promise.all([loadShell(), import('../customer.route'), import('./find-dialog'), import('./merge-dialog')]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
})

it('duplicate: compared before the merge', async () => {
  const other = {
    id: buildId(),
    name: 'Ann M. Lee',
    phoneShown: '(512) 555-0199',
    email: null,
    why: 'Same email: ann@home.test',
  }
  const { customer, user } = await open({ duplicates: [other] })
  const kept = buildSide({ id: customer.id, leads: 2, agreedToOffers: true })
  const gone = buildSide({ id: other.id, name: other.name, jobs: 1, optedOut: 'stopped', agreedToOffers: false })
  const result: MergePreview['result'] = {
    name: 'Ann Lee',
    phoneShown: '(512) 555-0142',
    email: 'ann@home.test',
    emailProof: 'form',
    setAside: [],
    shutOff: [{ kind: 'email', shown: 'ann.m@home.test', papers: ['EST-1004'] }],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: 'stopped',
    agreedToOffers: false,
  }
  server.on('GET', `/api/customers/${customer.id}/merge`, { body: { kept, gone, result } })
  await user.click(screen.getByRole('button', { name: 'Compare with Ann M. Lee' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Are these one person?' }))
  expect(await dialog.findByText('2 leads')).toBeInTheDocument()
  expect(dialog.getAllByText('They said STOP')).toHaveLength(2)
  expect(dialog.getAllByText('Called from it')).toHaveLength(2)
  expect(dialog.queryByText(/^Becomes the main/)).not.toBeInTheDocument()
  expect(dialog.getByText('Typed into a form')).toBeInTheDocument()
  expect(dialog.getByText(/EST-1004 waits to go there and will not be sent there/)).toBeInTheDocument()
  const merge = {
    mergeId: buildId(),
    id: other.id,
    name: other.name,
    phoneShown: null,
    at: '2026-11-21T15:04:05.000Z',
    by: 'Olivia Owner',
    until: '2026-12-21T15:04:05.000Z',
    undoable: true,
  }
  const merged = { ...customer, duplicates: [], mergedFrom: [merge] }
  let answers = () => {}
  const answer = new Promise<void>((done) => {
    answers = done
  })
  server.on('POST', `/api/customers/${customer.id}/merge`, async () => {
    await answer
    return { body: merged }
  })
  server.on('GET', `/api/customers/${customer.id}`, { body: merged })
  await user.click(dialog.getByRole('button', { name: 'Merge the two' }))
  expect(await dialog.findByText('Merging...')).toBeInTheDocument()
  answers()
  expect(await screen.findByText('Records merged')).toBeInTheDocument()
  expect(server.requests.filter(({ method, url }) => method === 'GET' && url.includes('/merge?'))).toHaveLength(1)
  expect(await sent('POST', `/api/customers/${customer.id}/merge`)).toEqual({ otherId: other.id })
  server.on('POST', `/api/customers/merges/${merge.mergeId}/undo`, { body: customer })
  server.on('GET', `/api/customers/${customer.id}`, { body: customer })
  await user.click(await screen.findByRole('button', { name: 'Separate again' }))
  expect(await screen.findByText('Separated again')).toBeInTheDocument()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Separate again' })).not.toBeInTheDocument())
})

it('merge preview: says why the two cannot be merged now', async () => {
  const other = { id: buildId(), name: 'Ann M. Lee', phoneShown: null, email: null, why: 'Same email: ann@home.test' }
  const { customer, user } = await open({ duplicates: [other] })
  const blockedBy = 'Ann M. Lee is about to be erased. Undo the erasure on their page first, or wait until it is done.'
  const result: MergePreview['result'] = {
    name: 'Ann Lee',
    phoneShown: null,
    email: 'ann@home.test',
    setAside: [],
    shutOff: [],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: null,
    agreedToOffers: null,
  }
  const [kept, gone] = [buildSide({ id: customer.id }), buildSide({ id: other.id, name: other.name })]
  server.on('GET', `/api/customers/${customer.id}/merge`, { body: { kept, gone, result, blockedBy } })
  await user.click(screen.getByRole('button', { name: 'Compare with Ann M. Lee' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Are these one person?' }))
  expect(await dialog.findByText(blockedBy)).toBeInTheDocument()
  expect(dialog.getByRole('button', { name: 'Merge the two' })).toBeDisabled()
})

it('merge preview: a phone or email that is set aside gets no replies', async () => {
  const other = { id: buildId(), name: 'Ann M. Lee', phoneShown: null, email: null, why: 'Same email: ann@home.test' }
  const { customer, user } = await open({ duplicates: [other] })
  const result: MergePreview['result'] = {
    name: 'Ann Lee',
    phoneShown: '(512) 555-0142',
    email: 'ann@home.test',
    emailProof: 'form',
    setAside: ['email'],
    shutOff: [],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: null,
    agreedToOffers: null,
  }
  const body = { kept: buildSide({ id: customer.id }), gone: buildSide({ id: other.id }), result }
  server.on('GET', `/api/customers/${customer.id}/merge`, { body })
  await user.click(screen.getByRole('button', { name: 'Compare with Ann M. Lee' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Are these one person?' }))
  const row = async (label: string) => (await dialog.findByText(label)).parentElement
  expect(await row('Replies go to')).toHaveTextContent('(512) 555-0142')
  expect(await row('Replies go to')).not.toHaveTextContent('ann@home.test')
  expect(await row('Set aside')).toHaveTextContent('ann@home.test')
  expect(dialog.getAllByText('They have not said yes or no').length).toBeGreaterThan(0)
})

it('merge preview: names a main phone only where the merge changes it', async () => {
  const other = { id: buildId(), name: 'Ann M. Lee', phoneShown: null, email: null, why: 'Same email: ann@home.test' }
  const { customer, user } = await open({ duplicates: [other] })
  const email = { kind: 'email', shown: 'ann@home.test', proof: 'form', isMain: true, isSetAside: false } as const
  const keptPhone = { kind: 'phone', shown: '(512) 555-0142', proof: 'form', isMain: false, isSetAside: false } as const
  const gonePhone = {
    kind: 'phone',
    shown: '(512) 555-0199',
    proof: 'called',
    isMain: true,
    isSetAside: false,
  } as const
  const result: MergePreview['result'] = {
    name: 'Ann Lee',
    phoneShown: gonePhone.shown,
    email: email.shown,
    setAside: [],
    shutOff: [],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: null,
    agreedToOffers: null,
  }
  const kept = buildSide({ id: customer.id, points: [keptPhone, email] })
  const gone = buildSide({ id: other.id, name: other.name, points: [gonePhone, email] })
  server.on('GET', `/api/customers/${customer.id}/merge`, { body: { kept, gone, result } })
  await user.click(screen.getByRole('button', { name: 'Compare with Ann M. Lee' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Are these one person?' }))
  const changed = await dialog.findByText('Becomes the main phone')
  expect(changed.parentElement).toHaveTextContent(gonePhone.shown)
  expect(dialog.queryByText('Becomes the main email')).not.toBeInTheDocument()
})

it('merge preview: an address that the merge sets aside is listed once', async () => {
  const other = { id: buildId(), name: 'Ann M. Lee', phoneShown: null, email: null, why: 'Same email: ann@home.test' }
  const { customer, user } = await open({ duplicates: [other] })
  const point = { kind: 'email', shown: 'ann@home.test', proof: 'form', isMain: true, isSetAside: true } as const
  const result: MergePreview['result'] = {
    name: 'Ann Lee',
    phoneShown: '(512) 555-0142',
    email: 'ann@home.test',
    emailProof: 'form',
    setAside: ['email'],
    shutOff: [{ kind: 'email', shown: 'ann@home.test', papers: ['EST-1004'] }],
    language: null,
    isStaff: false,
    isBlocked: false,
    optedOut: null,
    agreedToOffers: null,
  }
  const body = { kept: buildSide({ id: customer.id }), gone: buildSide({ id: other.id, points: [point] }), result }
  server.on('GET', `/api/customers/${customer.id}/merge`, { body })
  await user.click(screen.getByRole('button', { name: 'Compare with Ann M. Lee' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Are these one person?' }))
  expect(await dialog.findByText('Kept: the older record')).toBeInTheDocument()
  expect(dialog.queryByText('Becomes the main email')).not.toBeInTheDocument()
  expect(dialog.getByText('Set aside until you use it')).toBeInTheDocument()
  const row = dialog.getByText('Set aside').parentElement
  expect(row).toHaveTextContent(/EST-1004 waits to go there and will not be sent there/)
  expect(dialog.queryByText('No longer')).not.toBeInTheDocument()
})

it('merge search: finds other records, never itself', async () => {
  const { customer, user } = await open()
  const bob = buildSummary({ name: 'Bob Stone' })
  server.on('GET', '/api/customers', { body: [buildSummary({ id: customer.id }), bob] })
  await user.click(screen.getByRole('button', { name: 'Merge' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Merge Ann Lee with…' }))
  const found = await dialog.findByRole('list', { name: 'Records found' })
  expect(within(found).getAllByRole('button')).toHaveLength(1)
  server.on(
    'GET',
    `/api/customers/${customer.id}/merge`,
    buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Callers who hide their number are many people.' })),
  )
  await user.click(within(found).getByRole('button', { name: /Bob Stone/ }))
  expect(await screen.findByText('Callers who hide their number are many people.')).toBeInTheDocument()
  expect(screen.getByRole('button', { name: 'Merge the two' })).toBeDisabled()
})
