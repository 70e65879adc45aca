import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { reauthPrompt } from '@/api/reauth-prompt'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { buildCrew } from '@/testing/job-builders'
import { lastRequestBody } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { PeopleCard } from './people-card'

let server: FakeServer
const owner = buildUser()
const north = buildCrew({ name: 'North crew' })

const person = (parts: Partial<Schema['TeamMember']> = {}): Schema['TeamMember'] => ({
  id: buildId(),
  name: 'Dave Cole',
  role: 'crew',
  email: 'dave@acme.test',
  phoneShown: null,
  isActive: true,
  twoFactorEnabled: false,
  crewIds: [],
  ...parts,
})
const invite = (parts: Partial<Schema['Invite']> = {}): Schema['Invite'] => ({
  id: buildId(),
  name: 'Sam Field',
  email: 'sam@acme.test',
  phoneShown: null,
  role: 'crew',
  crewId: null,
  createdAt: '2026-11-21T15:00:00Z',
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
  sent: null,
  link: 'https://toolbox.test/join/abc',
  ...parts,
})
const dave = person({ crewIds: [north.id] })

const renderCard = () => renderSignedIn(<PeopleCard />)

beforeAll(() => Promise.all([import('./invite-dialog'), import('./person-dialog')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: owner })
  server.on('GET', '/api/crews', { body: [north] })
  server.on('GET', '/api/team', {
    body: [
      person({ id: owner.id, name: owner.name, role: 'owner', email: owner.email }),
      dave,
      person({ name: 'Old Hand', isActive: false }),
    ],
  })
  server.on('GET', '/api/team/invites', { body: [] })
})

describe('team members', () => {
  it('are listed with role, crews and active state', async () => {
    renderCard()
    expect(await screen.findByText('Crew, North crew')).toBeInTheDocument()
    expect(
      within(screen.getByText('Old Hand').closest('li') ?? document.body).getByText('Deactivated'),
    ).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: `Edit ${owner.name}` })).not.toBeInTheDocument()
  })

  it('get another role and other crews, or none', async () => {
    server.on('PATCH', `/api/team/${dave.id}`, { body: { ...dave, role: 'office', crewIds: [], isActive: false } })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Edit Dave Cole' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Dave Cole' }))
    expect(await dialog.findByRole('checkbox', { name: 'North crew' })).toBeChecked()
    await app.user.click(dialog.getByRole('radio', { name: 'Office' }))
    await app.user.click(dialog.getByRole('checkbox', { name: 'North crew' }))
    await app.user.click(dialog.getByRole('switch', { name: /^May sign in/ }))
    await app.user.click(dialog.getByRole('button', { name: 'Save' }))
    await waitFor(async () =>
      expect(await lastRequestBody(server, 'PATCH', `/api/team/${dave.id}`)).toEqual({
        role: 'office',
        crewIds: [],
        isActive: false,
      }),
    )
  })

  it('are visible to the office and editable by the owner', async () => {
    server.on('GET', '/api/auth/me', { body: buildUser({ role: 'office' }) })
    renderCard()
    expect(await screen.findByText('Dave Cole')).toBeInTheDocument()
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
    expect(server.requests.some(({ url }) => url.endsWith('/invites'))).toBe(false)
  })
})

describe('invitation', () => {
  it('is texted with a crew; its link can be copied', async () => {
    server.on('POST', '/api/team/invites', {
      status: 201,
      body: invite({ email: null, phoneShown: '(312) 555-0123', sent: { channel: 'sms', messageId: buildId() } }),
    })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Invite someone' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }))
    await app.user.click(dialog.getByRole('radio', { name: 'Text' }))
    await app.user.click(dialog.getByRole('button', { name: 'Invite' }))
    expect(await dialog.findByText('Name is required')).toBeInTheDocument()
    expect(dialog.getByText('Enter a phone number with its area code')).toBeInTheDocument()
    await app.user.type(dialog.getByLabelText(/^Name/), 'Sam Field')
    await app.user.type(dialog.getByLabelText(/^Mobile number/), '(312) 555-0123')
    await app.user.selectOptions(await dialog.findByLabelText(/^Crew/, { selector: 'select' }), 'North crew')
    await app.user.click(dialog.getByRole('button', { name: 'Invite' }))
    const done = within(await screen.findByRole('dialog', { name: 'Sam Field is invited' }))
    expect(done.getByText('The link is on its way by text.')).toBeInTheDocument()
    expect(done.getByText(/toolbox\.test/)).toBeInTheDocument()
    expect(await lastRequestBody(server, 'POST', '/api/team/invites')).toEqual({
      name: 'Sam Field',
      role: 'crew',
      phone: '(312) 555-0123',
      crewId: north.id,
    })
  })

  it('business without a number: the text is not offered, with the reason', async () => {
    const why = 'your business has no number to send texts from'
    server.on('GET', '/api/sending-number', {
      body: { isSetUp: true, why, others: [], sharesService: false, unsentTexts: 0 },
    })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Invite someone' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }))
    expect(await dialog.findByText('Texts are off: your business has no number to send texts from')).toBeInTheDocument()
    expect(dialog.getByRole('radio', { name: /^Text/ })).toBeDisabled()
    expect(dialog.getByRole('radio', { name: 'Email' })).toBeChecked()
  })

  it('not sent: offers the link', async () => {
    server.on('POST', '/api/team/invites', { status: 201, body: invite() })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Invite someone' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }))
    await app.user.type(dialog.getByLabelText(/^Name/), 'Sam Field')
    await app.user.type(dialog.getByRole('textbox', { name: /^Email/ }), 'sam@acme.test')
    await app.user.click(dialog.getByRole('button', { name: 'Invite' }))
    expect(await screen.findByText('Nothing could be sent. Give Sam Field this link yourself.')).toBeInTheDocument()
  })

  it('saved as a file: not called sent', async () => {
    const outlook = { state: 'filed', text: 'saved as a file: email is not set up', until: null } as const
    server.on('POST', '/api/team/invites', {
      status: 201,
      body: invite({ sent: { channel: 'email', messageId: buildId(), outlook } }),
    })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Invite someone' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }))
    await app.user.type(dialog.getByLabelText(/^Name/), 'Sam Field')
    await app.user.type(dialog.getByRole('textbox', { name: /^Email/ }), 'sam@acme.test')
    await app.user.click(dialog.getByRole('button', { name: 'Invite' }))
    expect(
      await screen.findByText('Email saved as a file: email is not set up. You can give Sam Field this link yourself.'),
    ).toBeInTheDocument()
    expect(screen.queryByText(/on its way/)).not.toBeInTheDocument()
  })

  it('existing member: error at the field', async () => {
    const errors = { email: 'Someone on your team already signs in with this address' }
    server.on(
      'POST',
      '/api/team/invites',
      buildProblemResponse(buildProblem(422, 'validation_failed', { detail: 'Look again.', errors })),
    )
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Invite someone' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Invite someone' }))
    await app.user.type(dialog.getByLabelText(/^Name/), 'Dave')
    await app.user.type(dialog.getByRole('textbox', { name: /^Email/ }), 'dave@acme.test')
    await app.user.click(dialog.getByRole('button', { name: 'Invite' }))
    expect(await dialog.findByText(errors.email)).toBeInTheDocument()
  })

  it('shows its link after reauthentication', async () => {
    let isProved = false
    const waiting = invite()
    server.on('GET', '/api/team/invites', () => ({ body: [isProved ? waiting : { ...waiting, link: null }] }))
    const stop = reauthPrompt.subscribe(() => {
      isProved = true
      if (reauthPrompt.isAsked()) reauthPrompt.resolve(true)
    })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Show link of the invitation of Sam Field' }))
    expect(await screen.findByRole('button', { name: 'Copy link of the invitation of Sam Field' })).toBeInTheDocument()
    stop()
  })

  it('can be revoked', async () => {
    const waiting = invite()
    server.on('GET', '/api/team/invites', { body: [waiting] })
    server.on('DELETE', `/api/team/invites/${waiting.id}`, { status: 204 })
    const app = renderCard()
    await app.user.click(await screen.findByRole('button', { name: 'Revoke the invitation of Sam Field' }))
    expect(await screen.findByText('Invitation revoked')).toBeInTheDocument()
  })
})
