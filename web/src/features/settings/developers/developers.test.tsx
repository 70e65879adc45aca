import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderApp, renderSignedIn } from '@/testing/render-app'
import { DevelopersPage } from './developers-page'
import type { ApiKey, Webhook, WebhookCall } from './queries'
import { describeScopes } from './labels'

const user = buildUser()
const orgPath = `/api/org/${user.orgId}`
const site: ApiKey = {
  id: buildId(),
  name: 'Website',
  hint: 'tbk_…Ab3d',
  scopes: ['leads:read', 'jobs:write'],
  createdAt: '2026-11-20T16:00:00.000Z',
  lastUsedAt: null,
  madeBy: 'Olive Owner',
}
const hook: Webhook = {
  id: buildId(),
  url: 'https://books.example/toolbox',
  about: 'Bookkeeping',
  events: ['payment.recorded'],
  isOn: true,
  failingSince: null,
  stoppedAt: null,
  stoppedWhy: null,
  oldSecretUntil: null,
  createdAt: '2026-11-20T16:00:00.000Z',
}
const call: WebhookCall = {
  id: buildId(),
  eventId: buildId(),
  event: 'payment.recorded',
  state: 'failed',
  createdAt: '2026-11-20T16:00:00.000Z',
  nextAt: null,
  body: '{"type":"payment.recorded"}',
  tries: [{ at: '2026-11-20T16:00:00.000Z', status: 500, tookMs: 12, outcome: 'it answered HTTP 500' }],
}
let server: FakeServer

const open = () => renderSignedIn(<DevelopersPage />)
const sent = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', `${orgPath}/api-keys`, { body: [] })
  server.on('GET', `${orgPath}/webhooks`, { body: [] })
})

describe('API key', () => {
  it('is created for some scopes, and shown once', async () => {
    server.on('POST', `${orgPath}/api-keys`, () => {
      server.on('GET', `${orgPath}/api-keys`, { body: [site] })
      return { status: 201, body: { ...site, key: 'tbk_secret' } }
    })
    const { user: person, unmount } = open()
    expect(await screen.findByText('No program has a key.')).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Make a key' }))
    const form = within(screen.getByRole('form', { name: 'Key' }))
    await person.type(form.getByLabelText(/^Name of the program/), 'Website')
    await person.click(
      within(form.getByRole('group', { name: 'It may look at' })).getByRole('checkbox', { name: 'Leads' }),
    )
    await person.click(
      within(form.getByRole('group', { name: 'It may change' })).getByRole('checkbox', { name: 'Jobs' }),
    )
    await person.click(form.getByRole('button', { name: 'Make the key' }))
    expect(await screen.findByText('tbk_secret')).toBeInTheDocument()
    expect(await sent('POST', `${orgPath}/api-keys`)).toEqual({ name: 'Website', scopes: ['leads:read', 'jobs:write'] })
    const row = within(await screen.findByRole('list', { name: 'Keys' }))
    expect(row.getByText('Leads: look, Jobs: look and change')).toBeInTheDocument()
    expect(row.getByText('not used yet')).toBeInTheDocument()
    unmount()
    open()
    expect(await screen.findByText('not used yet')).toBeInTheDocument()
    expect(screen.queryByText('tbk_secret')).not.toBeInTheDocument()
  })

  it('shows server errors at their fields', async () => {
    server.on(
      'POST',
      `${orgPath}/api-keys`,
      buildProblemResponse(buildProblem(422, 'validation_failed', { errors: { scopes: 'Choose what it may do' } })),
    )
    const { user: person } = open()
    await person.click(await screen.findByRole('button', { name: 'Make a key' }))
    await person.click(screen.getByRole('button', { name: 'Make the key' }))
    expect(await screen.findByText('Choose what it may do')).toBeInTheDocument()
  })

  it('is revoked after a confirmation', async () => {
    server.on('GET', `${orgPath}/api-keys`, { body: [site] })
    server.on('DELETE', `${orgPath}/api-keys/${site.id}`, () => {
      server.on('GET', `${orgPath}/api-keys`, { body: [] })
      return { status: 204 }
    })
    const { user: person } = open()
    await person.click(await screen.findByRole('button', { name: 'Take the key of Website away' }))
    const dialog = within(screen.getByRole('dialog', { name: 'Take the key of Website away?' }))
    await person.click(dialog.getByRole('button', { name: 'Take it away' }))
    expect(await screen.findByText('No program has a key.')).toBeInTheDocument()
  })

  it('describes its scopes', () => {
    expect(describeScopes(['figures:read', 'leads:read', 'leads:write'])).toBe('Leads: look and change, Figures: look')
  })
})

describe('webhook', () => {
  it('is added with its events, and its secret shown once', async () => {
    server.on('POST', `${orgPath}/webhooks`, () => {
      server.on('GET', `${orgPath}/webhooks`, { body: [hook] })
      return { status: 201, body: { ...hook, secret: 'whsec_once' } }
    })
    const { user: person } = open()
    await person.click(await screen.findByRole('button', { name: 'Add a webhook' }))
    const form = within(screen.getByRole('form', { name: 'Webhook' }))
    await person.type(form.getByLabelText(/^Address/), hook.url)
    await person.type(form.getByLabelText(/^What it is/), 'Bookkeeping')
    await person.click(form.getByRole('checkbox', { name: 'A payment comes in' }))
    await person.click(form.getByRole('button', { name: 'Add it' }))
    expect(await screen.findByText('whsec_once')).toBeInTheDocument()
    expect(await sent('POST', `${orgPath}/webhooks`)).toEqual({
      url: hook.url,
      about: 'Bookkeeping',
      events: ['payment.recorded'],
    })
    expect(await screen.findByText('A payment comes in')).toBeInTheDocument()
  })

  it('shows a refused address at its field', async () => {
    server.on(
      'POST',
      `${orgPath}/webhooks`,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { url: 'This address must begin with https://' } }),
      ),
    )
    const { user: person } = open()
    await person.click(await screen.findByRole('button', { name: 'Add a webhook' }))
    await person.type(screen.getByLabelText(/^Address/), 'http://x')
    await person.click(screen.getByRole('button', { name: 'Add it' }))
    expect(await screen.findByText('This address must begin with https://')).toBeInTheDocument()
    expect(screen.getByLabelText(/^Address/)).toHaveValue('http://x')
  })

  it('is tested, and its log lists every try', async () => {
    server.on('GET', `${orgPath}/webhooks`, { body: [hook] })
    server.on('POST', `${orgPath}/webhooks/${hook.id}/test`, {
      status: 202,
      body: { ...call, event: 'test', state: 'waiting', tries: [] },
    })
    server.on('GET', `${orgPath}/webhooks/${hook.id}/calls`, { body: [{ ...call, event: 'test' }] })
    server.on('POST', `${orgPath}/webhooks/${hook.id}/calls/${call.id}/retry`, {
      status: 202,
      body: { ...call, state: 'waiting' },
    })
    const { user: person } = open()
    await person.click(await screen.findByRole('button', { name: 'Send a test to Bookkeeping' }))
    const log = within(await screen.findByRole('dialog', { name: 'Log of Bookkeeping' }))
    expect(await log.findByText(/^it answered HTTP 500/)).toBeInTheDocument()
    expect(log.getByRole('heading', { name: 'Test' })).toBeInTheDocument()
    await person.click(log.getByRole('button', { name: 'Call again' }))
    expect(await screen.findByText('Calling again')).toBeInTheDocument()
  })

  it('turned off: says why, and can be turned on again', async () => {
    server.on('GET', `${orgPath}/webhooks`, {
      body: [
        {
          ...hook,
          isOn: false,
          stoppedAt: '2026-11-21T16:00:00.000Z',
          stoppedWhy: 'nothing was taken there for five days',
        },
      ],
    })
    server.on('PATCH', `${orgPath}/webhooks/${hook.id}`, () => {
      server.on('GET', `${orgPath}/webhooks`, { body: [hook] })
      return { body: hook }
    })
    const { user: person } = open()
    expect(await screen.findByText(/nothing was taken there for five days/)).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Turn Bookkeeping on' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Turn Bookkeeping off' })).toBeInTheDocument())
    expect(await sent('PATCH', `${orgPath}/webhooks/${hook.id}`)).toEqual({ isOn: true })
  })
})

describe('developers tab for the office', () => {
  it('is for owners only, and requests nothing', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    server.on('GET', '/api/inbox', { body: [] })
    renderApp('/app/settings/developers')
    expect(await screen.findByRole('heading', { name: 'This is for the owner' })).toBeInTheDocument()
    expect(server.requests.some(({ url }) => /api-keys|webhooks/.test(url))).toBe(false)
  })
})
