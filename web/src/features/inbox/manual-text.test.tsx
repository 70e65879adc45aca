import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildConversation, buildText, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import type { ConversationItem, Message } from './types'

let server: FakeServer
const id = 'c0ffee00-0000-4000-8000-000000000001'
const messages = `/api/customers/${id}/messages`
const canText = { ok: false, why: 'SMS is not set up', smsLink: 'sms:+13125550199' }

function answerConversation(parts: Parameters<typeof buildConversation>[0]) {
  server.on('GET', `/api/customers/${id}/conversation`, {
    body: buildConversation({ ...parts, customer: { id, ...parts?.customer } }),
  })
}

const out = (message: Partial<Message>): ConversationItem => {
  const made = buildText(message)
  return { type: 'message', at: made.createdAt, message: made, photos: [] }
}

const failed = out({
  body: 'Thanks for calling',
  kind: 'missed_call',
  status: 'not_sent',
  statusText: 'not sent: SMS is not set up',
  byHand: true,
  leadId: 'l1',
})
const nudge = out({ body: 'Still there?', kind: 'nudge', status: 'queued', statusText: 'waiting to be sent' })
const sheet = { name: 'Text from your phone' }

// A screen's first loading is no part of any story, and takes long on a busy machine.
beforeAll(() => Promise.all([import('./inbox.route'), loadShell()]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('POST', `/api/customers/${id}/read`, { status: 204 })
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Total-Count': '0', 'X-Unread-Count': '0' } })
})

describe('text that was sent from the own phone', () => {
  it('shows when, and is offered no more', async () => {
    const noted = out({
      body: 'Thanks for calling',
      kind: 'manual',
      status: 'sent',
      statusText: 'sent from your own phone',
    })
    answerConversation({ canText, items: [failed, noted] })
    renderApp(`/app/inbox/${id}`)
    expect(await screen.findByText(/^Sent from your own phone /)).toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Text from my phone' })).not.toBeInTheDocument()
  })
})

describe('address of an alert', () => {
  it('leaves out the sentence on STOP, which the own phone does not obey', async () => {
    const stopped = out({
      body: 'Thanks for calling. Reply STOP to opt out.',
      ownPhoneText: 'Thanks for calling.',
      kind: 'missed_call',
      status: 'not_sent',
      statusText: 'not sent: SMS is not set up',
      byHand: true,
    })
    answerConversation({ canText, items: [stopped] })
    renderApp(`/app/inbox/${id}?do=text`)
    const dialog = within(await screen.findByRole('dialog', sheet))
    expect(dialog.getByText('Thanks for calling.')).toBeInTheDocument()
    expect(dialog.getByRole('link', { name: 'Text from my phone' })).toHaveAttribute(
      'href',
      'sms:+13125550199?body=Thanks%20for%20calling.',
    )
  })

  it('opens the missing text, which is noted in one tap', async () => {
    answerConversation({ canText, items: [failed, nudge] })
    server.on('POST', messages, {
      status: 201,
      body: buildText({ status: 'sent', statusText: 'sent from your own phone' }),
    })
    const { user } = renderApp(`/app/inbox/${id}?do=text`)
    const dialog = within(await screen.findByRole('dialog', sheet))
    expect(dialog.getByText('Thanks for calling')).toBeInTheDocument()
    const link = dialog.getByRole('link', { name: 'Text from my phone' })
    expect(link).toHaveAttribute('href', 'sms:+13125550199?body=Thanks%20for%20calling')
    link.addEventListener('click', (event) => event.preventDefault())
    await user.click(link)
    await user.click(await dialog.findByRole('button', { name: 'I sent it' }))
    await waitFor(() => expect(screen.queryByRole('dialog', sheet)).not.toBeInTheDocument())
    await waitFor(() =>
      expect(server.requests.some(({ method, url }) => method === 'POST' && url.endsWith(messages))).toBe(true),
    )
    const noted = server.requests.find(({ method, url }) => method === 'POST' && url.endsWith(messages))
    expect(await noted?.clone().json()).toEqual({
      channel: 'sms',
      body: 'Thanks for calling',
      byHand: true,
      leadId: 'l1',
    })
  })

  it.each([
    [
      'a text has left since',
      { items: [failed, out({ kind: 'manual', status: 'sent', statusText: 'sent from your own phone' })] },
    ],
    [
      'its time is over',
      {
        items: [
          out({
            kind: 'auto_reply',
            status: 'not_sent',
            statusText: 'not sent: the time it asks about is no longer held',
          }),
        ],
      },
    ],
    [
      'they said STOP meanwhile',
      {
        items: [failed],
        customer: {
          smsOptOut: {
            state: 'stopped',
            since: '2026-11-14T15:12:00Z',
            matched: 'STOP',
            byPerson: false,
            saidElsewhere: false,
          },
        },
      },
    ],
  ] as const)('opens nothing when %s', async (_, parts) => {
    answerConversation({ ...parts, items: [...parts.items] })
    renderApp(`/app/inbox/${id}?do=text`)
    expect(await screen.findByRole('log')).toBeInTheDocument()
    expect(screen.queryByRole('dialog', sheet)).not.toBeInTheDocument()
  })
})
