import { act, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import { buildProblem, buildUser } from '@/testing/builders'
import { buildProblemResponse, type FakeServer, startFakeServer } from '@/testing/fake-server'
import { buildTextingRegistration, NUMBER_OFFER } from '@/testing/number-setup'
import { renderSignedIn } from '@/testing/render-app'
import { NumberSetup } from './number-setup'
import { TextingRegistration } from './texting-registration'

const FOR_SALE = '+15125550731'

let server: FakeServer

const order: Schema['NumberOrder'] = {
  number: FOR_SALE,
  kind: 'purchase',
  state: 'waiting',
  reason: null,
  createdAt: '2026-11-20T15:00:00.000Z',
}
const current: Schema['SendingNumber'] = {
  isSetUp: true,
  why: null,
  number: '+15125550100',
  assignedBy: 'operator',
  assignedAt: null,
  others: [],
  sharesService: false,
  unsentTexts: 0,
  claim: null,
}

beforeAll(() => Promise.all([import('./get-number'), import('./take-over-number'), import('./forward-number')]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/sending-number', { body: current })
  server.on('GET', '/api/sending-number/offer', { body: NUMBER_OFFER })
})

afterEach(() => {
  vi.useRealTimers()
})

it('buying: says the price before, and shows that the number is being bought', async () => {
  server.on('GET', '/api/sending-number/available', {
    body: {
      isNearby: true,
      monthlyPrice: 1.15,
      numbers: [{ number: FOR_SALE, locality: 'Austin', region: 'TX' }],
    } satisfies Schema['NumbersForSale'],
  })
  server.on('POST', '/api/sending-number/orders', { status: 202, body: { ...NUMBER_OFFER, obtained: 1, order } })
  const { user: person } = renderSignedIn(<NumberSetup />)
  await person.type(await screen.findByLabelText('Area code'), '830')
  await person.click(screen.getByRole('button', { name: 'Show numbers' }))
  expect(await screen.findByText(/These are nearby/)).toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Get (512) 555-0731' }))
  const dialog = within(screen.getByRole('dialog', { name: 'Get (512) 555-0731?' }))
  expect(dialog.getByText(/^\$1\.15 a month/)).toBeInTheDocument()
  await person.click(dialog.getByRole('button', { name: 'Get this number' }))
  expect(await screen.findByText(/We’re getting \(512\) 555-0731 for you/)).toBeInTheDocument()
  expect(screen.queryByLabelText('Area code')).not.toBeInTheDocument()
})

it('buying without permission: says whom to ask, and offers no search', async () => {
  const why = 'Your business may not get a number here yet. Ask the people who run this Toolbox.'
  server.on('GET', '/api/sending-number/offer', { body: { ...NUMBER_OFFER, why } })
  renderSignedIn(<NumberSetup />)
  expect(await screen.findByText(why)).toBeInTheDocument()
  expect(screen.queryByLabelText('Area code')).not.toBeInTheDocument()
})

it('failed purchase: says why, and offers the search again', async () => {
  const reason = 'This number is no longer available. Nothing was bought. Pick another one.'
  server.on('GET', '/api/sending-number/offer', {
    body: { ...NUMBER_OFFER, order: { ...order, state: 'failed', reason } },
  })
  renderSignedIn(<NumberSetup />)
  expect(await screen.findByText(reason)).toBeInTheDocument()
  expect(screen.getByLabelText('Area code')).toBeInTheDocument()
})

it('taking over: offers no number that another program uses', async () => {
  server.on('GET', '/api/sending-number/account-numbers', {
    body: [
      { number: FOR_SALE, isUsedElsewhere: false },
      { number: '+15125550732', isUsedElsewhere: true },
    ],
  })
  server.on('POST', '/api/sending-number/take-over', { body: { ...current, number: FOR_SALE } })
  const { user: person } = renderSignedIn(<NumberSetup initialWay="takeOver" />)
  await person.click(await screen.findByRole('button', { name: 'Use (512) 555-0731' }))
  expect(screen.queryByRole('button', { name: 'Use (512) 555-0732' })).not.toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Use this number' }))
  expect(await screen.findByText('The number is yours')).toBeInTheDocument()
})

it('forwarding: dials the code of the carrier, and a call during the test shows that it works', async () => {
  // Without live events it is asked for.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let lastReceivedAt: string | null = '2026-11-20T15:00:00.000Z'
  const provider: Schema['WebhookProvider'] = { isSetUp: true, isReachable: true, why: null, addresses: [] }
  server.on('GET', '/api/webhooks/status', () => ({
    body: {
      stripe: provider,
      twilio: {
        ...provider,
        addresses: [
          { name: 'Calls', url: 'https://toolbox.example/webhooks/twilio/voice', refused: 0, lastReceivedAt },
        ],
      },
    },
  }))
  const { user: person } = renderSignedIn(<NumberSetup initialWay="forward" />)
  await person.click(await screen.findByLabelText('AT&T'))
  expect(screen.getByRole('link', { name: 'Dial **004*15125550100#' })).toHaveAttribute(
    'href',
    'tel:**004*15125550100%23',
  )
  await person.click(screen.getByRole('button', { name: 'Start the test' }))
  expect(await screen.findByText(/Waiting for your call/)).toBeInTheDocument()
  lastReceivedAt = '2026-11-20T15:01:00.000Z'
  await act(() => vi.advanceTimersByTimeAsync(15_000))
  expect(await screen.findByText('It works. Your missed call arrived here.')).toBeInTheDocument()
})

it('registration: names the field that the carriers would refuse, and says what leaves meanwhile', async () => {
  server.on('GET', '/api/texting-registration', {
    body: buildTextingRegistration({
      kind: 'toll_free',
      number: '+18335550731',
      canSubmit: true,
      meanwhile: 'Customers get emails instead.',
    }),
  })
  server.on(
    'POST',
    '/api/texting-registration',
    buildProblemResponse(
      buildProblem(422, 'validation_failed', { errors: { ein: 'Write the nine digits of the EIN' } }),
    ),
  )
  const { user: person } = renderSignedIn(<TextingRegistration />)
  expect(await screen.findByText('Customers get emails instead.')).toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Send registration' }))
  expect(await screen.findByText('Write the nine digits of the EIN')).toBeInTheDocument()
  expect(screen.getByLabelText('EIN')).toHaveAccessibleDescription(/Write the nine digits/)
})

it('registration of a local number: says the fees and sends nothing before they are accepted', async () => {
  const found = buildTextingRegistration({
    kind: 'ten_dlc',
    number: '+15125550731',
    canSubmit: true,
    fees: { brand: 4.5, campaign: 15, monthly: 2 },
  })
  server.on('GET', '/api/texting-registration', { body: found })
  server.on('POST', '/api/texting-registration', {
    status: 202,
    body: buildTextingRegistration({
      ...found,
      canSubmit: false,
      fees: null,
      state: 'waiting',
      submittedAt: '2026-11-20T15:00:00.000Z',
      steps: [
        { phase: 'profile', state: 'under_way' },
        { phase: 'brand', state: 'ahead' },
        { phase: 'campaign', state: 'ahead' },
        { phase: 'number', state: 'ahead' },
      ],
    }),
  })
  const { user: person } = renderSignedIn(<TextingRegistration />)
  await person.type(await screen.findByLabelText('Job title'), 'Owner')
  await person.click(screen.getByRole('button', { name: 'Send registration' }))
  const posted = () => server.requests.filter(({ method, url }) => method === 'POST' && url.includes('registration'))
  const dialog = await screen.findByRole('dialog')
  for (const fee of [
    '$4.50 once to list your business',
    '$15 once to check what you text',
    'Up to $2 a month from then on',
  ])
    expect(within(dialog).getByText(fee)).toBeInTheDocument()
  expect(posted()).toEqual([])
  await person.click(within(dialog).getByRole('button', { name: 'Accept and send' }))
  const steps = await screen.findByRole('list', { name: 'How far it is' })
  expect(within(steps).getByText('Under way')).toBeInTheDocument()
  expect(posted().map(({ url }) => new URL(url).search)).toEqual(['?acceptsFees=true'])
  const sent: unknown = await posted()[0]?.json()
  expect(sent).toMatchObject({ contactTitle: 'Owner' })
})

it('registration of a sole proprietor: names the phone, and sends the text again', async () => {
  server.on('GET', '/api/texting-registration', {
    body: buildTextingRegistration({ kind: 'ten_dlc', state: 'in_review', confirmationPhone: '+15125550100' }),
  })
  server.on('POST', '/api/texting-registration/text', { status: 204 })
  const { user: person } = renderSignedIn(<TextingRegistration />)
  expect(await screen.findByText('Answer the text to (512) 555-0100')).toBeInTheDocument()
  await person.click(screen.getByRole('button', { name: 'Send the text again' }))
  expect(await screen.findByText('The text is on its way')).toBeInTheDocument()
})

it('registration that the install does not offer: says whom to ask, and shows no form', async () => {
  server.on('GET', '/api/texting-registration', {
    body: buildTextingRegistration({ kind: 'ten_dlc', number: '+15125550731', obstacle: 'by_operator' }),
  })
  renderSignedIn(<TextingRegistration />)
  expect(await screen.findByText(/A local number is registered by the people who run this Toolbox/)).toBeInTheDocument()
  expect(screen.queryByLabelText('EIN')).not.toBeInTheDocument()
})
