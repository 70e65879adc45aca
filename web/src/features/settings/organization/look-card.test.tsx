import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { lastRequestBody } from '@/testing/open-job'
import { renderSignedIn } from '@/testing/render-app'
import { replaceText } from '@/testing/replace-text'
import { buildSettings } from '@/testing/settings'
import { LookCard } from './look-card'

const user = buildUser()
const path = `/api/org/${user.orgId}/settings`
const saved: Schema['LookSettings'] = { color: '#1d4ed8', showsPoweredBy: true }
const organization = { name: 'Acme Plumbing', logoUrl: '/api/public/logo/acme?v=1' }
let server: FakeServer

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('PATCH', path, async (request) => {
    const { look } = (await request.clone().json()) as { look: Partial<Schema['LookSettings']> }
    return { body: buildSettings({ look: { ...saved, ...look } }) }
  })
})

const openCard = (look = saved) => renderSignedIn(<LookCard organization={organization} saved={look} />)
const findPreview = async () => within(await screen.findByRole('img', { name: /^Preview of your pages/ }))
const fillOf = (button: HTMLElement | undefined) =>
  button?.closest<HTMLElement>('[data-theme]')?.style.getPropertyValue('--brand-fill')
/** A field saves when it is left. */
const save = (person: ReturnType<typeof openCard>['user']) => person.tab()

it('saved color is chosen and shown in both themes', async () => {
  openCard()
  expect(await screen.findByRole('radio', { name: 'Blue' })).toBeChecked()
  const buttons = (await findPreview()).getAllByText('Submit Request')
  expect(buttons.map(fillOf)).toEqual(['#1d4ed8', '#1d4ed8'])
  expect((await findPreview()).getAllByText('Powered by Toolbox')).toHaveLength(2)
})

it('chosen color is previewed before it is saved, and only changes are sent', async () => {
  const { user: person } = openCard()
  await person.click(await screen.findByRole('radio', { name: 'Red' }))
  expect(fillOf((await findPreview()).getAllByText('Submit Request')[0])).toBe('#b3122a')
  expect(screen.getByLabelText(/^Hex code/)).toHaveValue('#b3122a')
  await save(person)
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'PATCH', path)).toEqual({ look: { color: '#b3122a' } }),
  )
})

it('standard colors: the color is taken away', async () => {
  const { user: person } = openCard()
  await person.click(await screen.findByRole('radio', { name: 'Standard' }))
  expect(fillOf((await findPreview()).getAllByText('Submit Request')[0])).toBe('')
  await save(person)
  await waitFor(async () => expect(await lastRequestBody(server, 'PATCH', path)).toEqual({ look: { color: null } }))
})

it('line at the foot is switched off', async () => {
  const { user: person } = openCard()
  await person.click(await screen.findByRole('switch', { name: /Powered by Toolbox/ }))
  expect((await findPreview()).queryByText('Powered by Toolbox')).not.toBeInTheDocument()
  await save(person)
  await waitFor(async () =>
    expect(await lastRequestBody(server, 'PATCH', path)).toEqual({ look: { showsPoweredBy: false } }),
  )
})

it('invalid code is not sent, and a refusal is shown at the field', async () => {
  const { user: person } = openCard()
  const field = await screen.findByLabelText(/^Hex code/)
  await replaceText(person, field, 'teal')
  await save(person)
  expect(await screen.findByText(/Enter # and six digits/)).toBeInTheDocument()
  expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(0)
  const errors = { 'look.color': 'Choose a color of six hex digits, such as #00616f' }
  server.on('PATCH', path, buildProblemResponse(buildProblem(422, 'validation_failed', { errors })))
  await replaceText(person, field, '#ABCDEF')
  await save(person)
  expect(await screen.findByText(errors['look.color'])).toBeInTheDocument()
})
