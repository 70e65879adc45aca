import { useQuery } from '@tanstack/react-query'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { useCurrentUser } from '@/features/session/use-session'
import { buildId, buildLead, buildLeadDetail, buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { LeadBadges } from './components/lead-badges'
import { LeadOwnerSelect } from './components/lead-owner-select'
import { leadQueries } from './queries'

const user = buildUser()
const id = '3f2a9c1e-0000-4000-8000-000000000001'
const path = `/api/leads/${id}/owner`
const [sam, dave] = [
  { id: buildId(), name: 'Sam Office', isActive: true },
  { id: buildId(), name: 'Dave Cole', isActive: false },
]
let server: FakeServer

const answerLead = (parts: Partial<Schema['LeadDetail']>) =>
  server.on('GET', `/api/leads/${id}`, { body: buildLeadDetail({ id, ...parts }) })
const choice = async () => screen.findByRole('combobox', { name: 'Owner' })
const isReady = async () => waitFor(async () => expect(await choice()).toBeEnabled())

/** How two leads of a list are marked: one's own, and a colleague's. */
function Marks() {
  return [user.id, sam.id].map((ownerUserId) => <LeadBadges key={ownerUserId} lead={buildLead({ ownerUserId })} />)
}

function Shown() {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(leadQueries.detail(orgId, id))
  return data ? <LeadOwnerSelect lead={data} /> : null
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/team', { body: [sam, dave] })
})

it('unassigned lead: assigned and unassigned', async () => {
  answerLead({})
  const { user: person } = renderSignedIn(<Shown />)
  await isReady()
  expect(await choice()).toHaveDisplayValue('Unassigned')
  expect(
    within(await choice())
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['Unassigned', 'Sam Office'])
  server.on('PUT', path, () => {
    answerLead({ ownerUserId: sam.id, ownerName: sam.name })
    return { body: buildLeadDetail({ id, ownerUserId: sam.id, ownerName: sam.name }) }
  })
  await person.selectOptions(await choice(), 'Sam Office')
  await waitFor(async () => expect(await lastRequestBody(server, 'PUT', path)).toEqual({ ownerUserId: sam.id }))
  await isReady()
  expect(await choice()).toHaveDisplayValue('Sam Office')
  await person.selectOptions(await choice(), 'Unassigned')
  await waitFor(async () => expect(await lastRequestBody(server, 'PUT', path)).toEqual({ ownerUserId: null }))
})

it('inactive owner: stays visible, and cannot be chosen', async () => {
  answerLead({ ownerUserId: dave.id, ownerName: dave.name })
  renderSignedIn(<Shown />)
  await isReady()
  expect(await choice()).toHaveDisplayValue('Dave Cole (no longer active)')
  expect(within(await choice()).getByRole('option', { name: /^Dave/ })).toBeDisabled()
})

it('failed assignment: says so and keeps the old owner', async () => {
  answerLead({})
  server.on('PUT', path, buildProblemResponse(buildProblem(503, 'unavailable')))
  const { user: person } = renderSignedIn(<Shown />)
  await isReady()
  await person.selectOptions(await choice(), 'Sam Office')
  expect(await screen.findByText('Owner not changed')).toBeInTheDocument()
  await isReady()
  expect(await choice()).toHaveDisplayValue('Unassigned')
})

it('lead list: marks the user’s own leads', async () => {
  renderSignedIn(<Marks />)
  expect(await screen.findAllByText('Yours')).toHaveLength(1)
})
