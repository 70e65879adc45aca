import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { FigureSettingsCard } from './figure-settings-card'

const user = buildUser()
const path = `/api/org/${user.orgId}/settings`
const usual: Schema['FigureSettings'] = {
  autoReplyMinutes: 5,
  followUpMinutes: 4,
  schedulingMinutes: 10,
  marginPercent: 65,
  monthlyOverhead: null,
}
let server: FakeServer

const sent = async () => {
  const request = server.requests.findLast((one) => one.method === 'PATCH')
  return request ? ((await request.clone().json()) as unknown) : undefined
}

async function openForm(saved = usual) {
  const { user: person } = renderSignedIn(<FigureSettingsCard saved={saved} />)
  const form = within(await screen.findByRole('form', { name: 'Figures' }))
  const type = async (label: RegExp, typed: string) => {
    await person.clear(form.getByLabelText(label))
    if (typed !== '') await person.type(form.getByLabelText(label), typed)
  }
  return { form, type, leave: () => person.tab() }
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('PATCH', path, async (request) => {
    const { figures } = (await request.json()) as { figures: Partial<Schema['FigureSettings']> }
    return { body: { figures: { ...usual, ...figures } } }
  })
})

it('margin, overhead and minutes: validated and saved', async () => {
  const { form, type, leave } = await openForm()
  await type(/^Your usual margin/, '110')
  await type(/^Monthly overhead/, 'some')
  await type(/^Time saved by a reminder or follow-up/, '6')
  await leave()
  expect(await form.findByText('Enter a number from 0 to 100')).toBeInTheDocument()
  expect(await form.findByText('Enter an amount like 1,250.00, or nothing')).toBeInTheDocument()
  await waitFor(async () => expect(await sent()).toEqual({ figures: { followUpMinutes: 6 } }))
  await type(/^Your usual margin/, '62.5')
  await leave()
  await waitFor(async () => expect(await sent()).toEqual({ figures: { marginPercent: 62.5 } }))
  await type(/^Monthly overhead/, '1,200')
  await leave()
  await waitFor(async () => expect(await sent()).toEqual({ figures: { monthlyOverhead: 1200 } }))
})

it('emptied overhead: removed', async () => {
  const { type, leave } = await openForm({ ...usual, monthlyOverhead: 1200 })
  await type(/^Monthly overhead/, '')
  await leave()
  await waitFor(async () => expect(await sent()).toEqual({ figures: { monthlyOverhead: null } }))
})

it('server errors: shown at their fields', async () => {
  server.on(
    'PATCH',
    path,
    buildProblemResponse(
      buildProblem(422, 'validation_failed', {
        errors: { 'figures.autoReplyMinutes': 'Please enter a number from 0 to 240' },
      }),
    ),
  )
  const { form, type, leave } = await openForm()
  await type(/^Time saved by an automatic reply/, '7')
  await leave()
  expect(await form.findByText('Please enter a number from 0 to 240')).toBeInTheDocument()
})
