import { screen, waitFor } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { buildId, buildLead, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadLeadScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
let asked: Record<string, string>[]
const user = buildUser()
const listPath = `/api/leads/${user.orgId}`
const sam = { id: buildId(), name: 'Sam Office', isActive: true }
const ann = buildLead({ name: 'Ann Lee', source: 'Google', stage: 'Quoted', quotedTotal: 900 })
const bo = buildLead({ name: 'Bo Back', waitingSince: '2026-11-20T15:04:05.000Z' })
const KEY = `toolbox.leads.filters.${user.id}`

const select = (name: string) => screen.findByRole('combobox', { name })
const waits = () => screen.findByRole('checkbox', { name: 'Waiting' })

beforeAll(loadLeadScreens)

beforeEach(() => {
  asked = []
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/team', { body: [{ ...sam, id: user.id, name: user.name }, sam] })
  server.on('GET', listPath, (_request, url) => {
    const { limit: _limit, ...query } = Object.fromEntries(url.searchParams)
    asked.push(query)
    const isWhole = Object.keys(query).length === 0
    const leads = isWhole ? [ann, bo] : query['stage'] === 'Done' ? [] : [ann]
    return { body: leads, headers: { 'X-Total-Count': String(leads.length) } }
  })
})

it('filters and order: asked of the server, counted, and in the address', async () => {
  const app = renderApp('/app/leads')
  expect(await screen.findByText('Total leads: 2')).toBeInTheDocument()
  await app.user.selectOptions(await select('Stage'), 'Quoted')
  expect(await screen.findByText('Total leads: 1')).toBeInTheDocument()
  expect(screen.getByText('1 lead found')).toBeInTheDocument()
  await app.user.selectOptions(await select('Source'), 'Google')
  await app.user.selectOptions(await select('Owner'), 'Unassigned')
  await app.user.selectOptions(await select('Order'), 'Highest value')
  await waitFor(() => expect(asked.at(-1)).toEqual({ stage: 'Quoted', source: 'Google', owner: 'none', sort: 'value' }))
  expect(await screen.findByRole('table', { name: 'Leads, highest value' })).toBeInTheDocument()
  await app.user.click(screen.getByRole('button', { name: 'Clear filters' }))
  expect(await screen.findByText('Total leads: 2')).toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Clear filters' })).not.toBeInTheDocument()
})

it('longest waiting: shows those who wait, and ends with them', async () => {
  const app = renderApp('/app/leads')
  await app.user.selectOptions(await select('Order'), 'Longest waiting')
  expect(await waits()).toBeChecked()
  await waitFor(() => expect(asked.at(-1)).toEqual({ waiting: 'true', sort: 'longest_waiting' }))
  await app.user.click(await waits())
  expect(await select('Order')).toHaveDisplayValue('Latest activity')
  expect(await screen.findByText('Total leads: 2')).toBeInTheDocument()
})

it('filters: remembered for the person, not for a search or a figure', async () => {
  const app = renderApp('/app/leads')
  await app.user.selectOptions(await select('Stage'), 'Quoted')
  expect(localStorage.getItem(KEY)).toBe('stage=Quoted')
  app.unmount()
  const again = renderApp('/app/leads')
  expect(await select('Stage')).toHaveDisplayValue('Quoted')
  again.unmount()
  renderApp('/app/leads?q=bo')
  expect(await select('Stage')).toHaveDisplayValue('Any stage')
  expect(asked.at(-1)).not.toHaveProperty('stage')
})

it('filters of a link: shown, and not remembered', async () => {
  renderApp(`/app/leads?owner=${sam.id}&stage=Lost`)
  await waitFor(async () => expect(await select('Owner')).toHaveDisplayValue('Sam Office'))
  await waitFor(() => expect(asked).toContainEqual({ owner: sam.id }))
  expect(localStorage.getItem(KEY)).toBeNull()
})

it('no match: says so, and clears the filters by a tap', async () => {
  const app = renderApp('/app/leads?stage=Done')
  expect(await screen.findByText('No leads match.')).toBeInTheDocument()
  await app.user.click(screen.getAllByRole('button', { name: 'Clear filters' }).at(-1) ?? document.body)
  expect(await screen.findByText('Bo Back')).toBeInTheDocument()
})

it('offline: filters the loaded leads', async () => {
  const app = renderApp('/app/leads')
  await screen.findByText('Bo Back')
  server.goOffline()
  await app.user.click(await waits())
  expect(await screen.findByText('1 lead found among those saved on this device')).toBeInTheDocument()
  expect(screen.queryByText('Ann Lee')).not.toBeInTheDocument()
})

it('export: follows the filters', async () => {
  server.on('GET', '/api/leads/export', { body: '' })
  const app = renderApp('/app/leads?waiting=true&sort=value')
  await app.user.click(await screen.findByRole('button', { name: 'Export CSV' }))
  await waitFor(() =>
    expect(server.requests.map(({ url }) => url).find((url) => url.includes('/export'))).toContain(
      'waiting=true&sort=value',
    ),
  )
})

it('long list: the count ends at 2,000', async () => {
  server.on('GET', listPath, { body: [ann], headers: { 'X-Total-Count': '2001' } })
  renderApp('/app/leads')
  expect(await screen.findByText('Total leads: 2,000+')).toBeInTheDocument()
})

it('business of one person: no filter by owner', async () => {
  server.on('GET', '/api/team', { body: [] })
  renderApp('/app/leads')
  await select('Stage')
  expect(screen.queryByRole('combobox', { name: 'Owner' })).not.toBeInTheDocument()
})
