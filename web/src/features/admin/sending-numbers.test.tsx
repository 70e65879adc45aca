import { screen } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadAdmin } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

const acme: Schema['NumberBusiness'] = {
  id: buildId(),
  name: 'Acme',
  slug: 'acme',
  sendsFrom: '+13125550142',
  sharesService: false,
}
const best: Schema['NumberBusiness'] = {
  id: buildId(),
  name: 'Best',
  slug: 'best',
  sendsFrom: null,
  sharesService: false,
}
const number: Schema['AssignedNumber'] = {
  number: '+13125550142',
  name: 'Main line',
  inAccount: true,
  canText: true,
  isServers: true,
  business: acme,
  assignedBy: 'first_business',
  assignedAt: null,
}
const all: Schema['SendingNumbers'] = { fault: null, numbers: [number], businesses: [acme, best], service: 'MG1' }
let server: FakeServer

beforeAll(loadAdmin)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser({ isPlatformAdmin: true }) })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/admin/clients', { body: [] })
  server.on('GET', '/api/admin/sending-numbers', { body: all })
})

it('assigns a number to another business, and shares the service', async () => {
  server.on('PUT', '/api/admin/sending-numbers/%2B13125550142', {
    body: { ...all, numbers: [{ ...number, business: best }] },
  })
  server.on('PUT', '/api/admin/sending-service', {
    body: { ...all, businesses: [acme, { ...best, sharesService: true }] },
  })
  const { user: person } = renderApp('/app/admin?tab=clients')
  const choice = await screen.findByRole('combobox', { name: 'Business of (312) 555-0142' })
  expect(choice).toHaveValue(acme.id)
  await person.selectOptions(choice, best.id)
  expect(await screen.findByText('Saved')).toBeInTheDocument()
  expect(await server.requests.find(({ url }) => url.includes('%2B13125550142'))?.json()).toEqual({ orgId: best.id })
  await person.click(screen.getByRole('checkbox', { name: /^Best/ }))
  expect(await screen.findByRole('checkbox', { name: /^Best/, checked: true })).toBeInTheDocument()
})
