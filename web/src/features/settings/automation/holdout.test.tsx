import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { HoldoutSettingsCard } from './holdout-settings-card'

const user = buildUser()
const path = `/api/org/${user.orgId}/settings`
let server: FakeServer

const sent = async () => {
  const patches = server.requests.filter(({ method }) => method === 'PATCH')
  return Promise.all(patches.map((request) => request.clone().json() as Promise<unknown>))
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('PATCH', path, { body: { holdOut: { followUps: true, missedCalls: false } } })
})

it('follow-ups: put into the holdout by one tap', async () => {
  const { user: person } = renderSignedIn(<HoldoutSettingsCard saved={{ followUps: false, missedCalls: false }} />)
  await person.click(await screen.findByRole('switch', { name: /^Estimate follow-ups/ }))
  await waitFor(async () => expect(await sent()).toEqual([{ holdOut: { followUps: true } }]))
})

it('missed-call texts: put into the holdout after a warning', async () => {
  const { user: person } = renderSignedIn(<HoldoutSettingsCard saved={{ followUps: false, missedCalls: false }} />)
  const toggle = await screen.findByRole('switch', { name: /^Missed-call texts/ })
  await person.click(toggle)
  const dialog = within(await screen.findByRole('dialog', { name: 'Leave one new caller in ten without a text?' }))
  expect(dialog.getByText(/^You will lose some of these callers/)).toBeInTheDocument()
  await person.click(dialog.getByRole('button', { name: 'Keep texting everybody' }))
  expect(await sent()).toEqual([])
  await person.click(toggle)
  await person.click(await screen.findByRole('button', { name: 'Leave one in ten out' }))
  await waitFor(async () => expect(await sent()).toEqual([{ holdOut: { missedCalls: true } }]))
})
