import { screen, within } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { renderSignedIn } from '@/testing/render-app'
import { buildSettings } from '@/testing/settings'
import { CallsCard } from './calls-card'
import { SwitchPreviewDialog } from './preview-dialog'
import { SendingCard } from './sending-card'
import { AutomationSwitchesCard } from './switches-card'

const { calls, sending, switches } = buildSettings()
let server: FakeServer

const answerNumber = (why: string | null, unsentTexts = 0) =>
  server.on('GET', '/api/sending-number', {
    body: { isSetUp: true, why, others: [], sharesService: false, unsentTexts },
  })

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
})

it('without a number: no state of the registration promises texts', async () => {
  answerNumber('your business has no number to send texts from')
  renderSignedIn(<SendingCard saved={{ ...sending, registration: 'unknown' }} />)
  expect(await screen.findAllByText('No number yet: no texts go out')).toHaveLength(3)
  expect(screen.queryByText(/Texts go out/)).not.toBeInTheDocument()
})

it('without a number: the switch answers by email only', async () => {
  answerNumber('your business has no number to send texts from')
  renderSignedIn(<AutomationSwitchesCard switches={{ ...switches, automatedCommunications: true }} />)
  expect(await screen.findByText(/by email \(texts are off until you have a number\)\. Missed/)).toBeInTheDocument()
  expect(screen.queryByText(/by text and email/)).not.toBeInTheDocument()
})

it('without a number: sending and missed calls name the reason once', async () => {
  answerNumber('your business has no number to send texts from')
  renderSignedIn(
    <>
      <SendingCard saved={sending} />
      <CallsCard saved={calls} />
    </>,
  )
  expect(await screen.findAllByText(/^Texts are off: your business has no number to send texts from/)).toHaveLength(2)
})

it('approved registration: names the texts that were not sent meanwhile', async () => {
  answerNumber(null, 3)
  renderSignedIn(<SendingCard saved={{ ...sending, registration: 'approved' }} />)
  expect(await screen.findByText('3 texts were not sent while your registration was pending')).toBeInTheDocument()
  expect(within(screen.getByText(/press “Send again”/)).getByRole('link', { name: 'inbox' })).toBeInTheDocument()
})

it('pending registration: names no texts to send again', async () => {
  answerNumber(null, 3)
  renderSignedIn(<SendingCard saved={{ ...sending, registration: 'pending' }} />)
  expect(await screen.findByText(/Texts are not sent until it is approved/)).toBeInTheDocument()
  expect(screen.queryByText(/while your registration was pending/)).not.toBeInTheDocument()
})

it('without a number: the preview of a switch promises no text', async () => {
  answerNumber('your business has no number to send texts from')
  server.on('GET', /^\/api\/org\/[^/]+\/preview$/, { body: { messages: [], oldRecords: 0 } })
  renderSignedIn(
    <SwitchPreviewDialog
      name="jobTracking"
      isTurningOn={false}
      onClose={() => undefined}
      onConfirm={() => undefined}
    />,
  )
  expect(
    await screen.findByText(
      /^No text is sent\. What can goes by email: your business has no number to send texts from/,
    ),
  ).toBeInTheDocument()
})
