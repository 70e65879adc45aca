// The settings as a person meets them: what is saved, what is refused, what is asked about first.
import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, problemAnswer, startFakeServer } from '@/testing/fake-server'
import { renderApp } from '@/testing/render-app'

const user = buildUser()
const orgPath = `/api/org/${user.orgId}`
const day = [{ opens: '08:00', closes: '17:00' }]
let server: FakeServer

function buildSettings(parts: Partial<Schema['Settings']> = {}): Schema['Settings'] {
  return {
    switches: { leadIntake: true, automatedCommunications: false, jobTracking: true, reviewCollection: true, kpiReporting: true },
    notifications: { frequency: 'immediate', schedule: 'business_hours', businessStart: '09:00', businessEnd: '17:00', escalateAfterMinutes: 2, escalateNextAfterMinutes: 5 },
    recipients: { emails: [], phones: [{ id: buildId(), address: '+13125550142', shown: '(312) 555-0142' }] },
    hours: { week: { mon: day, tue: day, wed: day, thu: day, fri: day, sat: [], sun: [] }, closedDates: [] },
    calls: { forwardTo: [], ringSeconds: 20, textDelaySeconds: 10, repeatHours: 24, nudge: true, emergencyWords: ['flood'] },
    sending: { dailyTextBudget: 100, textsPerNumber: 6, numbersPerExchange: 20, holdRepliesAtNight: false, registration: 'approved' },
    ...parts,
  }
}

const organization: Schema['Organization'] = {
  id: user.orgId, slug: 'acme-plumbing', name: 'Acme Plumbing', industry: 'Plumbing', phone: '+13125550100', reviewLink: null, bookingLink: null,
  timezone: 'America/Chicago', smsNumber: null, postalAddress: null,
}

const sentTo = async (method: string, path: string) => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

// The screens load when they are opened; the first test should not wait for all of them.
beforeAll(() => Promise.all([import('./settings.route'), import('./organization/organization-tab'), import('./automation/automation-tab')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', orgPath, { body: organization })
  server.on('GET', `${orgPath}/settings`, { body: buildSettings() })
  server.on('GET', '/api/push/devices', { body: [] })
})

describe('the organization', () => {
  it('is saved by what was changed, with what was left empty taken away', async () => {
    server.on('PATCH', orgPath, async (request) => ({ body: { ...organization, ...((await request.json()) as object) } }))
    const { user: person } = renderApp('/app/settings')
    const name = await screen.findByLabelText(/^Business name/)
    await person.clear(name)
    await person.type(name, 'Acme & Sons')
    await person.clear(screen.getByLabelText(/^Phone/))
    await person.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText('Your organization settings have been saved')).toBeInTheDocument()
    expect(await sentTo('PATCH', orgPath)).toEqual({ name: 'Acme & Sons', phone: null })
  })

  it('keeps what was typed when the server refuses, and says it at the field', async () => {
    server.on('PATCH', orgPath, problemAnswer(buildProblem(422, 'validation_failed', { errors: { smsNumber: 'Another business has this number' } })))
    const { user: person } = renderApp('/app/settings')
    const number = await screen.findByLabelText(/^Text number/)
    await person.type(number, '(312) 555-0101')
    await person.click(screen.getByRole('button', { name: 'Save changes' }))
    expect(await screen.findByText('Another business has this number')).toBeInTheDocument()
    expect(number).toHaveValue('(312) 555-0101')
    expect(number).toHaveAttribute('aria-invalid', 'true')
  })

  it('says what failed when it does not arrive, and tries again', async () => {
    server.on('GET', orgPath, problemAnswer(buildProblem(503, 'unavailable')))
    const { user: person } = renderApp('/app/settings')
    const failed = await screen.findByRole('heading', { name: 'Not available right now' })
    server.on('GET', orgPath, { body: organization })
    await person.click(within(failed.parentElement ?? document.body).getByRole('button', { name: 'Try again' }))
    expect(await screen.findByDisplayValue('Acme Plumbing')).toBeInTheDocument()
  })
})

describe('a recipient', () => {
  it('is taken out, and comes back by Undo', async () => {
    const [phone] = buildSettings().recipients.phones
    server.on('DELETE', new RegExp(`^${orgPath}/recipients/`), { body: { emails: [], phones: [] } })
    server.on('POST', `${orgPath}/recipients`, { status: 201, body: { emails: [], phones: [phone] } })
    const { user: person } = renderApp('/app/settings')
    await person.click(await screen.findByRole('button', { name: 'Remove (312) 555-0142' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Remove (312) 555-0142' })).not.toBeInTheDocument())
    await person.click(screen.getByRole('button', { name: 'Undo' }))
    expect(await screen.findByRole('button', { name: 'Remove (312) 555-0142' })).toBeInTheDocument()
    expect(await sentTo('POST', `${orgPath}/recipients`)).toEqual({ phone: '+13125550142' })
  })
})

describe('a switch', () => {
  const preview = (messages: Schema['PlannedMessage'][]) => server.on('GET', `${orgPath}/preview`, { body: { messages, oldRecords: 3 } })

  it('is turned on only after what it will send was shown', async () => {
    preview([{ at: '2026-11-21T15:00:00.000Z', to: '+13125550199', toName: 'Carla Customer', channel: 'sms', kind: 'auto_reply', text: 'Hi Carla', leadId: null, why: 'held while the switch was off' }])
    server.on('PATCH', `${orgPath}/settings`, { body: buildSettings({ switches: { ...buildSettings().switches, automatedCommunications: true } }) })
    const { user: person } = renderApp('/app/settings?tab=automation')
    const replies = await screen.findByRole('switch', { name: /^Automated Communications/ })
    await person.click(replies)
    expect(await screen.findByText('Hi Carla')).toBeInTheDocument()
    expect(screen.getByText(/3 older leads are left alone/)).toBeInTheDocument()
    expect(await sentTo('PATCH', `${orgPath}/settings`)).toBeUndefined()
    await person.click(screen.getByRole('button', { name: 'Turn it on' }))
    await waitFor(() => expect(screen.getByRole('switch', { name: /^Automated Communications/ })).toBeChecked())
    expect(await sentTo('PATCH', `${orgPath}/settings`)).toEqual({ switches: { automatedCommunications: true } })
  })
})

describe('the settings of a crew member', () => {
  it('are not asked for', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'crew' } })
    renderApp('/app/settings')
    expect(await screen.findByRole('heading', { name: 'Settings are for the office' })).toBeInTheDocument()
    expect(await sentTo('GET', orgPath)).toBeUndefined()
  })
})
