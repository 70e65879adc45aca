import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { buildSettings } from '@/testing/settings'
import { OfflineCard } from './offline-card'
import { RetentionCard } from './retention-card'

const photos: Schema['RetentionPeriod'] = { kind: 'photos', days: 1825, defaultDays: 1825, minDays: 90, maxDays: 3650 }
const night: Schema['RetentionNight'] = {
  startedAt: '2026-11-22T08:00:00Z',
  finishedAt: '2026-11-22T08:01:00Z',
  photos: 12,
  requests: 0,
  contacts: 0,
  messages: 1204,
  traces: 0,
}
let server: FakeServer

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/retention', { body: { periods: [photos], nights: [night] } })
  server.on('GET', '/api/retention/preview', (_request, url) => ({
    body: { kind: 'photos', days: Number(url.searchParams.get('days')), count: 412 },
  }))
  server.on('PUT', '/api/retention', { body: photos })
})

it('shorter period: shows what is deleted, and asks for confirmation', async () => {
  const { user: person } = renderSignedIn(<RetentionCard />)
  expect(await screen.findByText(/12 photos, 1,204 messages\./)).toBeInTheDocument()
  const choice = screen.getByLabelText('Photos')
  expect(choice).toHaveDisplayValue('5 years')
  await person.selectOptions(choice, '1 year')
  const asked = await screen.findByRole('dialog', { name: 'Photos: keep 1 year?' })
  expect(await within(asked).findByText(/^412 photos will be deleted/)).toBeInTheDocument()
  expect(within(asked).getByRole('link', { name: 'Download everything' })).toBeInTheDocument()
  await person.click(within(asked).getByRole('button', { name: 'Keep as it is' }))
  expect(server.requests.some(({ method }) => method === 'PUT')).toBe(false)
  await person.selectOptions(choice, '1 year')
  await person.click(await screen.findByRole('button', { name: 'Keep 1 year' }))
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'PUT', '/api/retention')).toEqual({ kind: 'photos', days: 365 }),
  )
})

it('customers without a request: have a period of their own, and are counted by themselves', async () => {
  const contacts = { kind: 'contacts', days: 1825, defaultDays: 1825, minDays: 180, maxDays: 3650 } as const
  const body = { periods: [photos, contacts], nights: [{ ...night, requests: 2, contacts: 3 }] }
  server.on('GET', '/api/retention', { body })
  const { user: person } = renderSignedIn(<RetentionCard />)
  expect(
    await screen.findByText(/12 photos, 2 people, 3 customers without a request, 1,204 messages\./),
  ).toBeInTheDocument()
  const choice = screen.getByLabelText('Customers without a request')
  expect(within(choice).getAllByRole('option')[0]).toHaveTextContent('180 days')
  await person.selectOptions(choice, '3 years')
  const asked = await screen.findByRole('dialog', { name: 'Customers without a request: keep 3 years?' })
  expect(await within(asked).findByText(/^412 customers without a request will be deleted/)).toBeInTheDocument()
  await person.click(within(asked).getByRole('button', { name: 'Keep 3 years' }))
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'PUT', '/api/retention')).toEqual({ kind: 'contacts', days: 1095 }),
  )
})

it('longer period: set at once', async () => {
  const { user: person } = renderSignedIn(<RetentionCard />)
  await person.selectOptions(await screen.findByLabelText('Photos'), '10 years')
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'PUT', '/api/retention')).toEqual({ kind: 'photos', days: 3650 }),
  )
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

it('shorter period: undone while waiting', async () => {
  server.on('GET', '/api/retention', {
    body: { periods: [{ ...photos, change: { days: 90, effectiveAt: '2026-11-24T15:00:00Z' } }], nights: [] },
  })
  server.on('POST', '/api/retention/undo', { body: photos })
  const { user: person } = renderSignedIn(<RetentionCard />)
  expect(await screen.findByText(/on: 90 days$/)).toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Undo' }))
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'POST', '/api/retention/undo')).toEqual({ kind: 'photos' }),
  )
  expect(await screen.findByText('Undone')).toBeInTheDocument()
})

it('offline lease: can be changed', async () => {
  const path = /^\/api\/org\/[^/]+\/settings$/
  server.on('GET', path, { body: buildSettings() })
  server.on('PATCH', path, { body: buildSettings({ devices: { offlineHours: 0 } }) })
  const { user: person } = renderSignedIn(<OfflineCard />)
  const choice = await screen.findByLabelText('A phone that was not in contact stays readable for')
  expect(choice).toHaveDisplayValue('12 hours (a working day)')
  await person.selectOptions(choice, 'Only while the app is open')
  expect(await screen.findByText(/It closes 5 minutes after the screen is locked/)).toBeInTheDocument()
  const sent = server.requests.find(({ method }) => method === 'PATCH')
  expect(await sent?.json()).toEqual({ devices: { offlineHours: 0 } })
})
