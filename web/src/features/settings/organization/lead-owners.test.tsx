import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildId, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { buildSettings } from '@/testing/settings'
import { LeadOwnersCard } from './lead-owners-card'

const user = buildUser()
const path = `/api/org/${user.orgId}/settings`
const [sam, dave, gone] = [
  { id: buildId(), name: 'Sam Office', isActive: true },
  { id: buildId(), name: 'Dave Cole', isActive: true },
  { id: buildId(), name: 'Old Hand', isActive: false },
]
const saved: Schema['LeadOwnerSettings'] = {
  turns: [sam.id, gone.id],
  zips: [{ userId: dave.id, zips: ['78704', '787'] }],
}
let server: FakeServer

const of = async (name: string) => within(await screen.findByRole('group', { name }))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/team', { body: [sam, dave, gone] })
  server.on('PATCH', path, async (request) => {
    const { leadOwners } = (await request.clone().json()) as { leadOwners: Partial<Schema['LeadOwnerSettings']> }
    return { body: buildSettings({ leadOwners: { ...saved, ...leadOwners } }) }
  })
})

it('active members: listed with their ZIP codes', async () => {
  renderSignedIn(<LeadOwnersCard saved={saved} />)
  expect((await of('Sam Office')).getByRole('checkbox')).toBeChecked()
  expect((await of('Dave Cole')).getByRole('checkbox')).not.toBeChecked()
  expect((await of('Dave Cole')).getByRole('textbox')).toHaveValue('78704, 787')
  expect(screen.queryByRole('group', { name: 'Old Hand' })).not.toBeInTheDocument()
})

it('turn and ZIP code: only changes are saved', async () => {
  const { user: person } = renderSignedIn(<LeadOwnersCard saved={saved} />)
  await person.click((await of('Dave Cole')).getByRole('checkbox'))
  await person.tab()
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'PATCH', path)).toEqual({ leadOwners: { turns: [sam.id, dave.id] } }),
  )
  await person.type((await of('Sam Office')).getByRole('textbox'), '78701 78702')
  await person.tab()
  const zips = [
    { userId: sam.id, zips: ['78701', '78702'] },
    { userId: dave.id, zips: ['787', '78704'] },
  ]
  await waitFor(async () => expect(await lastRequestBody(server, 'PATCH', path)).toEqual({ leadOwners: { zips } }))
})

it('invalid ZIP code: not sent, and server errors are shown', async () => {
  const { user: person } = renderSignedIn(<LeadOwnersCard saved={saved} />)
  const field = (await of('Sam Office')).getByRole('textbox')
  await person.type(field, 'Austin')
  await person.tab()
  expect(await screen.findByText('Write ZIP codes of five digits, or their first three or four')).toBeInTheDocument()
  expect(await lastRequestBody(server, 'PATCH', path)).toBeUndefined()
  server.on(
    'PATCH',
    path,
    buildProblemResponse({
      ...buildProblem(422, 'validation_failed'),
      errors: { 'leadOwners.zips': '78704 is given to two people' },
    }),
  )
  await person.clear(field)
  await person.type(field, '78704')
  await person.tab()
  expect(await screen.findByText('78704 is given to two people')).toBeInTheDocument()
})
