import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildAlert, buildLead, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()
const carla = buildLead({ name: 'Carla Customer' })

beforeAll(loadLeadScreens)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', `/api/leads/${user.orgId}`, { body: [carla], headers: { 'X-Total-Count': '1' } })
})

describe('alerts above the list', () => {
  const region = () => screen.findByRole('region', { name: 'Alerts' })
  const titles = async () =>
    within(within(await region()).getAllByRole('list')[0] ?? document.body)
      .getAllByRole('link')
      .map((link) => link.textContent)

  it('are one line however many there are, urgent first, the rest on demand', async () => {
    const plain = Array.from({ length: 200 }, (_, n) => buildAlert({ title: `Alert ${n}` }))
    server.on('GET', '/api/alerts', {
      body: [
        ...plain,
        buildAlert({ title: 'Urgent. Water everywhere', isUrgent: true }),
        buildAlert({ title: 'Seen before', seenAt: '2026-11-20T15:05:00.000Z' }),
      ],
    })
    const app = renderApp('/app/leads')
    const alerts = within(await region())
    expect(alerts.getAllByRole('link').map((link) => link.textContent)).toEqual(['Urgent. Water everywhere'])
    expect(alerts.queryByRole('listitem')).not.toBeInTheDocument()
    await app.user.click(alerts.getByRole('button', { name: 'and 200 more' }))
    expect(within(await region()).getAllByRole('listitem')).toHaveLength(2)
    await app.user.click(alerts.getByRole('button', { name: '200 texts came in' }))
    expect((await titles()).slice(0, 3)).toEqual(['Urgent. Water everywhere', 'Alert 0', 'Alert 1'])
    await app.user.click(alerts.getByRole('button', { name: 'Hide' }))
    expect(alerts.queryByRole('listitem')).not.toBeInTheDocument()
  })

  it('one cause: marked as seen together, in one request', async () => {
    const unsent = Array.from({ length: 37 }, (_, n) =>
      buildAlert({
        kind: 'text_not_sent',
        title: `Your text to Person ${n} was not sent`,
        body: 'The reason: the number is not registered. Call them.',
      }),
    )
    server.on('GET', '/api/alerts', { body: [...unsent, buildAlert({ title: 'Text from Ana' })] })
    server.on('POST', '/api/alerts/seen', () => {
      server.on('GET', '/api/alerts', { body: [buildAlert({ title: 'Text from Ana' })] })
      return { status: 204 }
    })
    const app = renderApp('/app/leads')
    await app.user.click(within(await region()).getByRole('button', { name: 'and 37 more' }))
    const group = await screen.findByRole('button', {
      name: '37 texts did not get through: the number is not registered',
    })
    expect(group).toHaveAttribute('aria-expanded', 'false')
    await app.user.click(screen.getByRole('button', { name: 'Mark as seen' }))
    await waitFor(() => expect(screen.queryByText(/^37 texts did not get through/)).not.toBeInTheDocument())
    const marked = server.requests.filter(({ method }) => method === 'POST')
    expect(marked.map(({ url }) => new URL(url).pathname)).toEqual(['/api/alerts/seen'])
    expect(await marked[0]?.json()).toEqual({ ids: unsent.map(({ id }) => id) })
  })

  it('appear together with the list, unless they are slow', async () => {
    let answer: (body: Schema['Alert'][]) => void = () => undefined
    server.on(
      'GET',
      '/api/alerts',
      () =>
        new Promise((resolve) => {
          answer = (body) => resolve({ body })
        }),
    )
    renderApp('/app/leads')
    await screen.findByText('Total leads: 1')
    expect(screen.queryByText('Carla Customer')).not.toBeInTheDocument()
    act(() => answer([buildAlert({ title: 'Text from Ana' })]))
    expect(await region()).toBeInTheDocument()
    expect(screen.getAllByText('Carla Customer')).not.toHaveLength(0)
  })

  it('do not delay the list', async () => {
    server.on('GET', '/api/alerts', () => new Promise(() => undefined))
    renderApp('/app/leads')
    expect(await screen.findAllByText('Carla Customer')).not.toHaveLength(0)
  })

  it('link to their subject, with date and next recipient', async () => {
    const alert = buildAlert({
      title: 'Text from Ana',
      createdAt: '2025-11-03T15:04:05.000Z',
      climbsAt: '2025-11-03T15:09:05.000Z',
    })
    server.on('GET', '/api/alerts', { body: [alert] })
    const app = renderApp('/app/leads')
    const alerts = within(await region())
    expect(alerts.getByRole('link', { name: 'Text from Ana' })).toHaveAttribute('href', `/app/leads/${alert.leadId}`)
    await app.user.click(alerts.getByRole('button', { name: 'Show' }))
    const line = alerts.getByRole('listitem')
    expect(within(line).getByRole('link', { name: 'Text from Ana' })).toHaveAttribute(
      'href',
      `/app/leads/${alert.leadId}`,
    )
    expect(line).toHaveTextContent(/Mon, Nov 3, 2025 9:04 AM, next person at 9:09 AM.*Can you come today\?/)
  })

  it('link to a job where they concern one', async () => {
    server.on('GET', '/api/alerts', {
      body: [
        buildAlert({ title: 'Ana approved change order CO-1001', path: '/app/jobs/7' }),
        buildAlert({ title: 'Texting stopped', leadId: null, path: '/app/settings?tab=automation' }),
      ],
    })
    const app = renderApp('/app/leads')
    const alerts = within(await region())
    expect(alerts.getByRole('link', { name: 'Ana approved change order CO-1001' })).toHaveAttribute(
      'href',
      '/app/jobs/7',
    )
    await app.user.click(alerts.getByRole('button', { name: 'and 1 more' }))
    expect(alerts.getByRole('link', { name: 'Texting stopped' })).toHaveAttribute(
      'href',
      '/app/settings?tab=automation',
    )
  })

  it('link to their own path where they have one, such as a poor review', async () => {
    server.on('GET', '/api/alerts', {
      body: [buildAlert({ title: 'Two stars from Ana', path: '/app/reviews?review=r1' })],
    })
    renderApp('/app/leads')
    expect(await screen.findByRole('link', { name: 'Two stars from Ana' })).toHaveAttribute(
      'href',
      '/app/reviews?review=r1',
    )
  })

  it('disappear once marked seen', async () => {
    const alert = buildAlert({ title: 'Missed call: Ana' })
    server.on('GET', '/api/alerts', { body: [alert] })
    server.on('POST', `/api/alerts/${alert.id}/seen`, () => {
      server.on('GET', '/api/alerts', { body: [] })
      return { body: { ...alert, seenAt: '2026-11-20T15:05:00.000Z' } }
    })
    const app = renderApp('/app/leads')
    await app.user.click(within(await region()).getByRole('button', { name: 'Show' }))
    await app.user.click(screen.getByRole('button', { name: 'Seen: Missed call: Ana' }))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Alerts' })).not.toBeInTheDocument())
  })
})
