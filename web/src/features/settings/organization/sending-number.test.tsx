import { screen, waitFor } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { Schema } from '@/api/client'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { SendingNumberCard } from './sending-number-card'

let server: FakeServer
const none: Schema['SendingNumber'] = {
  isSetUp: true,
  why: 'your business has no number to send texts from',
  number: null,
  assignedBy: null,
  assignedAt: null,
  others: [],
  sharesService: false,
  unsentTexts: 0,
  claim: null,
}
const claim: Schema['NumberClaim'] = {
  number: '+13125550142',
  way: 'text',
  state: 'sent',
  reason: null,
  tries: 0,
  expiresAt: '2026-11-20T15:04:05.000Z',
}

beforeAll(() =>
  Promise.all([
    import('@/features/number-setup/get-number'),
    import('@/features/number-setup/forward-number'),
    import('@/features/number-setup/number-setup'),
    import('@/features/number-setup/texting-registration'),
  ]),
)

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/sending-number', { body: none })
})

it('claiming: says that no texts are sent, and confirms a number by its code', async () => {
  server.on('POST', '/api/sending-number/claim', { status: 202, body: { ...none, claim } })
  server.on(
    'POST',
    '/api/sending-number/confirm',
    buildProblemResponse(
      buildProblem(422, 'validation_failed', { errors: { code: 'This is not the code. You have 4 tries left.' } }),
    ),
  )
  const { user: person } = renderSignedIn(<SendingNumberCard />)
  expect(await screen.findByText(/^Your business has no number to send texts from/)).toBeInTheDocument()
  await person.type(screen.getByLabelText('Number'), '312 555 0142')
  await person.click(screen.getByRole('button', { name: 'Text a code' }))
  const code = await screen.findByLabelText('Code for (312) 555-0142')
  await person.type(code, '000000')
  await person.click(screen.getByRole('button', { name: 'Use this number' }))
  expect(await screen.findByText('This is not the code. You have 4 tries left.')).toBeInTheDocument()
  server.on('POST', '/api/sending-number/confirm', {
    body: { ...none, why: null, number: '+13125550142', assignedBy: 'code', claim: { ...claim, state: 'used' } },
  })
  await person.type(code, '123456')
  await person.click(screen.getByRole('button', { name: 'Use this number' }))
  expect(await screen.findByText('your texts leave from (312) 555-0142')).toBeInTheDocument()
  expect(screen.queryByText('No texts are sent')).not.toBeInTheDocument()
})

it.each([
  ['unpaid', { level: 'address_proven' as const, takesMoney: true, mailLeaves: true }],
  ['without email', { level: 'trusted' as const, takesMoney: false, mailLeaves: false }],
])('business without a number, %s: promises no emails', async (_, standing) => {
  server.on('GET', '/api/trust', { body: { ...standing, steps: [], next: null, budgets: [] } })
  renderSignedIn(<SendingNumberCard />)
  expect(
    await screen.findByText('Your business has no number to send texts from. You can text from your own phone.'),
  ).toBeInTheDocument()
  await waitFor(() => expect(server.requests.some(({ url }) => url.endsWith('/api/trust'))).toBe(true))
  expect(screen.queryByText(/Customers get emails/)).not.toBeInTheDocument()
})

it('business without a number: says that customers get emails where they leave', async () => {
  renderSignedIn(<SendingNumberCard />)
  expect(await screen.findByText(/Customers get emails instead, and you can text from your own/)).toBeInTheDocument()
})

it('texting not set up: says what the operator must do, and has no buttons', async () => {
  server.on('GET', '/api/sending-number', { body: { ...none, isSetUp: false, why: 'Texting is off on this server' } })
  renderSignedIn(<SendingNumberCard />)
  expect(await screen.findByText(/^Ask the person who runs your Toolbox to set up texting/)).toBeInTheDocument()
  expect(screen.queryByRole('button')).not.toBeInTheDocument()
  expect(screen.queryByRole('radio')).not.toBeInTheDocument()
})

it('claiming a refused number: error at the field', async () => {
  server.on(
    'POST',
    '/api/sending-number/claim',
    buildProblemResponse(
      buildProblem(422, 'validation_failed', {
        errors: { number: 'This number is in use by another business on this server.' },
      }),
    ),
  )
  const { user: person } = renderSignedIn(<SendingNumberCard />)
  await person.type(await screen.findByLabelText('Number'), '312 555 0142')
  await person.click(screen.getByRole('button', { name: 'Call with a code' }))
  expect(await screen.findByText('This number is in use by another business on this server.')).toBeInTheDocument()
  expect(screen.queryByLabelText(/^Code for/)).not.toBeInTheDocument()
})

it('number that the owner got: says how, and does not name the operator', async () => {
  server.on('GET', '/api/sending-number', {
    body: { ...none, why: null, number: '+13125550142', assignedBy: 'bought' },
  })
  renderSignedIn(<SendingNumberCard />)
  expect(await screen.findByText(/^You got it here\./)).toBeInTheDocument()
  expect(screen.queryByText(/The person who runs your Toolbox assigned it/)).not.toBeInTheDocument()
})

it('releasing a number: after an explanation', async () => {
  server.on('GET', '/api/sending-number', {
    body: { ...none, why: null, number: '+13125550142', assignedBy: 'operator' },
  })
  server.on('POST', '/api/sending-number/give-up', { body: none })
  const { user: person } = renderSignedIn(<SendingNumberCard />)
  await person.click(await screen.findByRole('button', { name: 'Give up (312) 555-0142' }))
  expect(await screen.findByText('You can no longer send texts. Customers get emails instead.')).toBeInTheDocument()
  expect(screen.getByText(/still reach you, as long as Twilio still delivers them here\./)).toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Give it up' }))
  expect(await screen.findByText('No texts are sent')).toBeInTheDocument()
})
