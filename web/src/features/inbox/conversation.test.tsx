import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  buildConversation,
  buildDecision,
  buildLeadDetail,
  buildProblem,
  buildText,
  buildThread,
  buildUser,
} from '@/testing/builders'
import { FakeEventSource } from '@/testing/fake-events'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import type { ConversationItem, ConversationPage, Message } from './types'

let server: FakeServer
const user = buildUser()
const id = 'c0ffee00-0000-4000-8000-000000000001'
const phone = { ok: false, why: 'SMS is not set up', smsLink: 'sms:+13125550199' }

function answerConversation(parts: Parameters<typeof buildConversation>[0] = {}): ConversationPage {
  const body = buildConversation({ ...parts, customer: { id, ...parts.customer } })
  server.on('GET', `/api/customers/${id}/conversation`, { body })
  return body
}

const out = (message: Partial<Message>): ConversationItem => {
  const made = buildText(message)
  return { type: 'message', at: made.createdAt, message: made, photos: [] }
}

const sent = (method: string, path: string) =>
  server.requests.filter((request) => request.method === method && new URL(request.url).pathname === path)
const bodyOf = async (request: Request | undefined) => (await request?.clone().json()) as Record<string, unknown>
const field = () => screen.findByRole('textbox', { name: 'Text message' })
const open = () => renderApp(`/app/inbox/${id}`)

// A screen's first loading is no part of any story, and takes long on a busy machine.
beforeAll(() => Promise.all([import('./inbox.route'), loadShell()]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('POST', `/api/customers/${id}/read`, { status: 204 })
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Total-Count': '0', 'X-Unread-Count': '0' } })
})

describe('conversation', () => {
  it('opened to answer: the cursor is in the reply box, on a phone too, and the list does not ask again', async () => {
    vi.stubGlobal('matchMedia', () => ({
      matches: false,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }))
    answerConversation()
    renderApp(`/app/inbox/${id}?do=answer`)
    expect(await field()).toHaveFocus()
    expect(screen.getByRole('link', { name: 'Back to the inbox' })).toHaveAttribute('href', '/app/inbox')
  })

  it('shows texts, calls, forms and photos, and marks them read', async () => {
    answerConversation({
      thread: buildThread({ customerId: id, unread: 1 }),
      items: [
        { type: 'touch', at: '2026-11-20T10:00:00Z', form: 'lead', service: 'plumbing', leadId: 'l1' },
        {
          type: 'touch',
          at: '2026-11-20T10:30:00Z',
          form: 'quote',
          service: 'Roof repair',
          notes: 'It rains in',
          typedName: 'Mallory',
          leadId: 'l1',
        },
        {
          type: 'call',
          at: '2026-11-20T11:00:00Z',
          call: {
            id: 'k1',
            status: 'missed',
            startedAt: '2026-11-20T11:00:00Z',
            endedAt: null,
            statusText: 'Missed call, rang 20 s',
          },
        },
        {
          type: 'message',
          at: '2026-11-20T12:00:00Z',
          message: buildText({ direction: 'in', kind: 'incoming', status: 'received', body: 'It drips' }),
          photos: [{ id: 'p1', url: '/full', thumbUrl: '/thumb' }],
        },
        out({ body: 'We come at 3', createdAt: '2026-11-20T13:00:00Z', status: 'delivered', statusText: 'delivered' }),
      ],
    })
    open()
    const log = within(await screen.findByRole('log'))
    expect(log.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('Lead form: Plumbing'),
      expect.stringMatching(/^They wrote:Quote form: Roof repairas “Mallory”It rains in/),
      expect.stringContaining('Missed call, rang 20 s'),
      expect.stringContaining('It drips'),
      expect.stringMatching(/Photo|/),
      expect.stringMatching(/We come at 3.*Delivered/),
    ])
    expect(log.getByRole('img', { name: 'Photo 1' })).toHaveAttribute('src', '/thumb')
    await waitFor(() => expect(sent('POST', `/api/customers/${id}/read`)).toHaveLength(1))
  })

  it('unknown customer: shows not found', async () => {
    server.on('GET', `/api/customers/${id}/conversation`, buildProblemResponse(buildProblem(404, 'not_found')))
    open()
    expect(await screen.findByText('Conversation Not Found')).toBeInTheDocument()
  })

  it('updates on live events', async () => {
    answerConversation()
    open()
    await screen.findByRole('log')
    answerConversation({
      items: [out({ direction: 'in', kind: 'incoming', status: 'received', body: 'Are you there?' })],
    })
    act(() => FakeEventSource.opened.at(-1)?.say('conversation', { id }))
    expect(await screen.findByText('Are you there?')).toBeInTheDocument()
  })

  it('names attachments that could not be stored', async () => {
    const statusText = 'received without its 2 pictures: your file space is full'
    answerConversation({
      items: [out({ direction: 'in', kind: 'incoming', status: 'received', statusText, body: 'Look at this' })],
    })
    open()
    expect(await screen.findByText('without its 2 pictures: your file space is full')).toBeInTheDocument()
  })

  it('shows which rule decided about a message', async () => {
    const message = buildText({
      leadId: 'l1',
      kind: 'missed_call',
      status: 'not_sent',
      statusText: 'not sent: you wrote yourself',
      saw: { switchOn: true, hours: { zones: ['America/Chicago'] } },
    })
    answerConversation({ items: [out(message)] })
    server.on('GET', '/api/leads/l1', {
      body: buildLeadDetail({
        id: 'l1',
        decisions: [
          buildDecision({ messageId: message.id, reason: 'A missed call' }),
          buildDecision({ reason: 'Another matter' }),
        ],
      }),
    })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: /Not sent: you wrote yourself/ }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Why was this not sent?' }))
    expect(await sheet.findByText('A missed call')).toBeInTheDocument()
    expect(sheet.queryByText('Another matter')).not.toBeInTheDocument()
    expect(sheet.getByText('Automation switch').nextSibling).toHaveTextContent('on')
    expect(sheet.getByText('Time zones of the number').nextSibling).toHaveTextContent('America/Chicago')
  })
})

describe('composer', () => {
  const messages = `/api/customers/${id}/messages`

  it('sends a text once, shows it, and clears the field', async () => {
    answerConversation()
    server.on('POST', messages, () => {
      const message = buildText({ body: 'On my way', status: 'queued', statusText: 'waiting to be sent', attempts: 0 })
      answerConversation({ items: [out(message)] })
      return { status: 201, body: message }
    })
    const app = open()
    await app.user.type(await field(), 'On my way')
    expect(screen.getByText('1 text, 151 characters left')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('Waiting to be sent')).toBeInTheDocument()
    expect(await field()).toHaveValue('')
    expect(await field()).toHaveFocus()
    expect(await bodyOf(sent('POST', messages)[0])).toEqual({ channel: 'sms', body: 'On my way' })
    expect(sent('POST', messages)).toHaveLength(1)
  })

  it('keeps a failed message, and retries under the same key', async () => {
    answerConversation()
    server.on(
      'POST',
      messages,
      buildProblemResponse(buildProblem(503, 'unavailable', { detail: 'Away for a moment.' })),
    )
    const app = open()
    await app.user.type(await field(), 'On my way')
    await app.user.click(screen.getByRole('button', { name: 'Send' }))
    expect(await screen.findByText('Not sent: Away for a moment.')).toBeInTheDocument()
    server.on('POST', messages, { status: 201, body: buildText({ body: 'On my way' }) })
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.queryByText(/^Not sent/)).not.toBeInTheDocument())
    const [first, second] = sent('POST', messages).map(({ headers }) => headers.get('Idempotency-Key'))
    expect(first).toMatch(/^[\da-f]{32}$/)
    expect(second).toBe(first)
  })

  it('keeps a draft', async () => {
    answerConversation()
    const app = open()
    await app.user.type(await field(), 'I was about to')
    app.unmount()
    open()
    expect(await field()).toHaveValue('I was about to')
  })

  it('says offline that what is sent waits', async () => {
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    answerConversation()
    const app = open()
    await app.user.type(await field(), 'On my way')
    expect(
      screen.getByText('You are offline. What you send waits here and goes out when you are back online.'),
    ).toBeInTheDocument()
    expect(screen.getByRole('button', { name: 'Send' })).toBeEnabled()
    expect(screen.getByRole('button', { name: 'Later' })).toBeDisabled()
  })

  it('sends an email with its subject', async () => {
    answerConversation({ thread: buildThread({ customerId: id, leadId: 'l1' }) })
    server.on('POST', messages, {
      status: 201,
      body: buildText({ channel: 'email', subject: 'Your roof', body: 'Dear Carla' }),
    })
    const app = open()
    await app.user.click(await screen.findByRole('radio', { name: 'Email' }))
    await app.user.type(screen.getByRole('textbox', { name: 'Subject' }), 'Your roof')
    await app.user.type(screen.getByRole('textbox', { name: 'Email' }), 'Dear Carla')
    await app.user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(sent('POST', messages)).toHaveLength(1))
    expect(await bodyOf(sent('POST', messages)[0])).toEqual({
      channel: 'email',
      subject: 'Your roof',
      body: 'Dear Carla',
      leadId: 'l1',
    })
  })

  it('schedules a message', async () => {
    answerConversation()
    server.on('POST', messages, { status: 201, body: buildText({ status: 'queued' }) })
    const app = open()
    await app.user.type(await field(), 'Good morning')
    await app.user.click(screen.getByRole('button', { name: 'Later' }))
    await app.user.click(await screen.findByRole('button', { name: 'Tomorrow, 8:00 AM' }))
    await waitFor(() => expect(sent('POST', messages)).toHaveLength(1))
    const { sendAt } = await bodyOf(sent('POST', messages)[0])
    expect(
      new Intl.DateTimeFormat('en-US', { timeZone: user.orgTimezone, timeStyle: 'short' }).format(
        new Date(String(sendAt)),
      ),
    ).toBe('8:00 AM')
    expect(Date.parse(String(sendAt))).toBeGreaterThan(Date.now())
  })

  it('inserts a canned reply', async () => {
    answerConversation()
    server.on('GET', '/api/canned-replies', { body: [{ id: 'r1', title: 'On my way', body: 'We are on our way.' }] })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Replies' }))
    await app.user.click(await screen.findByRole('button', { name: /^On my way/ }))
    expect(await field()).toHaveValue('We are on our way.')
  })

  it('offers the own phone where sending is impossible, and notes it in one tap', async () => {
    answerConversation({ canText: phone })
    server.on('POST', messages, {
      status: 201,
      body: buildText({ status: 'sent', statusText: 'sent from your own phone' }),
    })
    const app = open()
    expect(await screen.findByText('SMS is not set up')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Send' })).not.toBeInTheDocument()
    await app.user.type(await field(), 'Hi Carla')
    const link = screen.getByRole('link', { name: 'Text from my phone' })
    expect(link).toHaveAttribute('href', 'sms:+13125550199?body=Hi%20Carla')
    link.addEventListener('click', (event) => event.preventDefault())
    await app.user.click(link)
    await app.user.click(await screen.findByRole('button', { name: 'I sent it' }))
    expect(await screen.findByText('Noted')).toBeInTheDocument()
    expect(await bodyOf(sent('POST', messages)[0])).toEqual({ channel: 'sms', body: 'Hi Carla', byHand: true })
  })
})

describe('queued message', () => {
  it('can be cancelled', async () => {
    const message = buildText({
      status: 'held',
      statusText: 'held: it is night there',
      heldUntil: '2026-11-22T14:00:00Z',
      cancellable: true,
    })
    answerConversation({ items: [out(message)] })
    server.on('DELETE', `/api/messages/${message.id}`, () => {
      const stopped = {
        ...message,
        status: 'not_sent',
        statusText: 'not sent: cancelled by Olivia Owner',
        cancellable: false,
      } as const
      answerConversation({ items: [out(stopped)] })
      return { body: stopped }
    })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Do not send' }))
    expect(await screen.findByText('Not sent: cancelled by Olivia Owner')).toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Do not send' })).not.toBeInTheDocument()
  })

  it('is resent after a confirmation while delivery is uncertain', async () => {
    const message = buildText({ status: 'unknown', statusText: "we can't tell if this was delivered", retryable: true })
    answerConversation({ items: [out(message)] })
    server.on('POST', `/api/messages/${message.id}/retry`, { status: 202, body: message })
    const app = open()
    expect(await screen.findByText("We can't tell if this was delivered")).toBeInTheDocument()
    await app.user.click(await screen.findByRole('button', { name: 'Send again' }))
    expect(screen.getByText(/Check with the customer before you send it again/)).toBeInTheDocument()
    expect(sent('POST', `/api/messages/${message.id}/retry`)).toHaveLength(0)
    await app.user.click(screen.getByRole('button', { name: 'Send it again' }))
    expect(await screen.findByText('Sending again')).toBeInTheDocument()
  })

  it('can go by the own phone after a failure', async () => {
    answerConversation({
      items: [
        out({ body: 'Hi', status: 'failed', statusText: 'failed: refused as spam', retryable: true, byHand: true }),
      ],
    })
    open()
    expect(await screen.findByRole('link', { name: 'Text from my phone' })).toHaveAttribute(
      'href',
      'sms:+13125550199?body=Hi',
    )
  })
})

describe('conversation sheet', () => {
  const thread = `/api/customers/${id}/thread`

  beforeEach(() => {
    server.on('GET', '/api/team', {
      body: [
        { id: user.id, name: user.name, role: 'owner', isActive: true },
        { id: 'u2', name: 'Sam Office', role: 'office', isActive: true },
      ],
    })
    server.on('PATCH', thread, { body: buildThread({ customerId: id }) })
  })

  it('assigns, blocks, sets Spanish and closes', async () => {
    answerConversation()
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'More about this conversation' }))
    const sheet = within(await screen.findByRole('dialog', { name: 'Carla Customer' }))
    await waitFor(() => expect(sheet.getByLabelText('Whose is it?')).toBeEnabled())
    await app.user.selectOptions(sheet.getByLabelText('Whose is it?'), 'Sam Office')
    await app.user.selectOptions(sheet.getByLabelText('Language we write in'), 'Spanish')
    await app.user.click(sheet.getByRole('switch', { name: /^Blocked/ }))
    await app.user.click(sheet.getByRole('button', { name: 'Close the conversation' }))
    await waitFor(() => expect(sent('PATCH', thread)).toHaveLength(4))
    expect(await Promise.all(sent('PATCH', thread).map(bodyOf))).toEqual([
      { assignedTo: 'u2' },
      { language: 'es' },
      { isBlocked: true },
      { isClosed: true },
    ])
  })

  it('snoozes for an hour', async () => {
    answerConversation()
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'More about this conversation' }))
    await app.user.click(await screen.findByRole('button', { name: '1 hour' }))
    expect(await screen.findByText('It comes back by itself, or as soon as the customer writes.')).toBeInTheDocument()
    const { snoozedUntil } = await bodyOf(sent('PATCH', thread)[0])
    expect(Date.parse(String(snoozedUntil)) - Date.now()).toBeGreaterThan(59 * 60_000)
  })
})

describe('canned replies', () => {
  it('can be added, and name missing fields', async () => {
    answerConversation()
    server.on('GET', '/api/canned-replies', { body: [] })
    server.on('POST', '/api/canned-replies', {
      status: 201,
      body: { id: 'r2', title: 'Price', body: 'A visit is $95.' },
    })
    const app = open()
    await app.user.type(await field(), 'A visit is $95.')
    await app.user.click(screen.getByRole('button', { name: 'Replies' }))
    await app.user.click(await screen.findByRole('button', { name: 'New reply' }))
    await app.user.click(await screen.findByRole('button', { name: 'Save reply' }))
    expect(screen.getByText('A title is required')).toBeInTheDocument()
    await app.user.type(screen.getByRole('textbox', { name: 'Title' }), 'Price')
    server.on('GET', '/api/canned-replies', { body: [{ id: 'r2', title: 'Price', body: 'A visit is $95.' }] })
    await app.user.click(screen.getByRole('button', { name: 'Save reply' }))
    expect(await screen.findByRole('button', { name: /^Price/ })).toBeInTheDocument()
    expect(await bodyOf(sent('POST', '/api/canned-replies')[0])).toEqual({ title: 'Price', body: 'A visit is $95.' })
  })
})
