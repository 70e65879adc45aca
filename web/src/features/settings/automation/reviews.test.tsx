import { screen, within } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { clearQueryCache, renderSignedIn } from '@/testing/render-app'
import type { ReviewKey, ReviewRules } from '../types'
import { ReviewKeyCard } from './review-key-card'
import { ReviewRulesCard } from './review-rules-card'

const user = buildUser()
const orgPath = `/api/org/${user.orgId}`
const keyPath = `${orgPath}/review-webhook`
const rules: ReviewRules = {
  askWhen: 'completed',
  delayMinutes: 120,
  from: '09:00',
  until: '19:00',
  dailyCap: 50,
  followUps: true,
}
const none: ReviewKey = {
  isSet: false,
  url: 'https://toolbox.example/api/webhooks/reviews/',
  hint: null,
  createdAt: null,
  lastReceivedAt: null,
}
const one: ReviewKey = { ...none, isSet: true, hint: 'rvk_…Ab3d', createdAt: '2026-11-20T16:00:00.000Z' }
const address = 'https://toolbox.example/api/webhooks/reviews/rvk_secret'
let server: FakeServer

const open = () =>
  renderSignedIn(
    <>
      <ReviewRulesCard saved={rules} />
      <ReviewKeyCard />
    </>,
  )
const sent = async (method: string, path: string) => {
  const request = server.requests.findLast((call) => call.method === method && new URL(call.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', orgPath, { body: { id: user.orgId, reviewLink: 'https://g.page/r/acme/review' } })
  server.on('GET', keyPath, { body: none })
})

describe('review rules', () => {
  it('save changed fields only', async () => {
    server.on('PATCH', `${orgPath}/settings`, { body: { reviews: { ...rules, askWhen: 'paid' } } })
    const { user: person } = open()
    const form = within(await screen.findByRole('form', { name: 'Review requests' }))
    await person.click(form.getByRole('radio', { name: /^It is paid too/ }))
    expect(await screen.findByText('Your organization settings have been saved')).toBeInTheDocument()
    expect(await sent('PATCH', `${orgPath}/settings`)).toEqual({ reviews: { askWhen: 'paid' } })
    expect(await form.findByText('Saved: It is paid too')).toBeInTheDocument()
  })

  it.each([
    [/^From/, '07:30', 'Enter a time from 8:00 AM to 8:00 PM'],
    [/^Until/, '10:30', 'Leave at least two hours to ask in'],
  ])('limit requests to allowed hours: %s', async (label, time, expectedText) => {
    const { user: person } = open()
    const field = await screen.findByLabelText(label)
    await person.clear(field)
    await person.type(field, time)
    await person.tab()
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
    expect(server.requests.some(({ method }) => method === 'PATCH')).toBe(false)
  })

  it('show server errors at their fields', async () => {
    server.on(
      'PATCH',
      `${orgPath}/settings`,
      buildProblemResponse(
        buildProblem(422, 'validation_failed', { errors: { 'reviews.dailyCap': 'Enter a number from 1 to 1000' } }),
      ),
    )
    const { user: person } = open()
    await person.type(await screen.findByLabelText(/^New customers asked a day/), '0')
    await person.tab()
    expect(await screen.findByText('Enter a number from 1 to 1000')).toBeInTheDocument()
  })

  it('name the public link, or that it is missing', async () => {
    const { unmount } = open()
    expect(await screen.findByText(/^Everybody is offered/)).toHaveTextContent('https://g.page/r/acme/review')
    unmount()
    server.on('GET', orgPath, { body: { id: user.orgId, reviewLink: null } })
    clearQueryCache()
    open()
    expect(await screen.findByText('No public review link yet')).toBeInTheDocument()
  })
})

describe('review webhook key', () => {
  it('is created by the owner, and shown once', async () => {
    server.on('POST', keyPath, () => {
      server.on('GET', keyPath, { body: one })
      return { status: 201, body: { key: 'rvk_secret', url: address, hint: 'rvk_…Ab3d', createdAt: one.createdAt } }
    })
    const { user: person, unmount } = open()
    await person.click(await screen.findByRole('button', { name: 'Make a key' }))
    expect(await screen.findByText(address)).toBeInTheDocument()
    expect(await screen.findByText(/^open with the key rvk_…Ab3d, made Nov 20, 2026/)).toBeInTheDocument()
    await person.click(screen.getByRole('button', { name: 'Copy the address for other programs' }))
    expect(await navigator.clipboard.readText()).toBe(address)
    unmount()
    open()
    expect(await screen.findByText(/^open with the key/)).toBeInTheDocument()
    expect(screen.queryByText(address)).not.toBeInTheDocument()
  })

  it('is replaced and removed after a confirmation', async () => {
    server.on('GET', keyPath, { body: one })
    server.on('DELETE', keyPath, { body: none })
    const { user: person } = open()
    await person.click(await screen.findByRole('button', { name: 'Make another key' }))
    const another = within(screen.getByRole('dialog', { name: 'Make another key?' }))
    expect(another.getByText(/no longer works/)).toBeInTheDocument()
    await person.click(another.getByRole('button', { name: 'Keep' }))
    expect(server.requests.some(({ method }) => method === 'POST')).toBe(false)
    await person.click(screen.getByRole('button', { name: 'Remove the key' }))
    await person.click(
      within(screen.getByRole('dialog', { name: 'Remove the key?' })).getByRole('button', { name: 'Remove the key' }),
    )
    expect(await screen.findByText('Key removed')).toBeInTheDocument()
    expect(await screen.findByRole('button', { name: 'Make a key' })).toBeInTheDocument()
  })

  it('is read-only for the office', async () => {
    server.on('GET', '/api/auth/me', { body: { ...user, role: 'office' } })
    server.on('GET', keyPath, { body: { ...one, lastReceivedAt: '2026-11-21T16:00:00.000Z' } })
    open()
    expect(await screen.findByText('Only the owner can change this.')).toBeInTheDocument()
    expect(screen.getByText(/^last review Nov 21, 2026/)).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: /key$/ })).not.toBeInTheDocument()
  })
})
