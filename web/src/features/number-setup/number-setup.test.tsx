import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, expect, it } from 'vitest'
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
