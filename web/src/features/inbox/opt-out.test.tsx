import { screen, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildConversation, buildText, buildUser } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import type { ConversationPage } from './types'

let server: FakeServer
const id = 'c0ffee00-0000-4000-8000-000000000001'

function answerConversation(parts: Parameters<typeof buildConversation>[0] = {}): ConversationPage {
  const body = buildConversation({ ...parts, customer: { id, ...parts.customer } })
  server.on('GET', `/api/customers/${id}/conversation`, { body })
  return body
}

const sent = (method: string, path: string) =>
  server.requests.filter((request) => request.method === method && new URL(request.url).pathname === path)
const bodyOf = async (request: Request | undefined) => (await request?.clone().json()) as Record<string, unknown>
const open = () => renderApp(`/app/inbox/${id}`)

// A screen's first loading is no part of any story, and takes long on a busy machine.
beforeAll(() => Promise.all([import('./inbox.route'), loadShell()]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('POST', `/api/customers/${id}/read`, { status: 204 })
  server.on('GET', '/api/inbox', { body: [], headers: { 'X-Total-Count': '0', 'X-Unread-Count': '0' } })
})

describe('opted-out customer', () => {
  const message = buildText({ status: 'not_sent', statusText: 'not sent: they said STOP', retryable: true })
  const optOut = (state: 'stopped' | 'paused', matched: string | null, byPerson = false) => ({
    customer: { smsOptOut: { state, since: '2026-11-14T15:12:00Z', matched, byPerson, saidElsewhere: false } },
    canText: { ok: false, why: 'they said STOP', smsLink: null },
    items: [{ type: 'message' as const, at: message.createdAt, message, photos: [] }],
  })

  it('cannot be texted, and the composer explains why', async () => {
    answerConversation(optOut('stopped', 'STOP'))
    const app = open()
    expect(await screen.findByText('They said STOP on Nov 14, 2026: nothing can be sent by text')).toBeInTheDocument()
    expect(screen.queryByRole('textbox', { name: 'Text message' })).not.toBeInTheDocument()
    for (const name of ['Send', 'Send again', 'Replies', 'Later'])
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Text from my phone' })).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Write an email' }))
    expect(screen.getByRole('textbox', { name: 'Email' })).toBeInTheDocument()
  })

  it('opted out by the business: allowed again after a confirmation', async () => {
    answerConversation(optOut('stopped', null, true))
    server.on('POST', `/api/customers/${id}/opt-out`, { body: { state: 'lifted' } })
    const app = open()
    expect(await screen.findByText('Your business stopped texts to them on Nov 14, 2026')).toBeInTheDocument()
    expect(screen.queryByText(/They said STOP on/)).not.toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Allow texts again' }))
    expect(sent('POST', `/api/customers/${id}/opt-out`)).toEqual([])
    await app.user.click(screen.getByRole('button', { name: 'They may be texted' }))
    expect(await screen.findByText('Texts allowed again')).toBeInTheDocument()
    expect(await bodyOf(sent('POST', `/api/customers/${id}/opt-out`)[0])).toEqual({ state: 'lifted' })
  })

  it('opted out at another business on the same number: each decides for itself', async () => {
    const conversation = optOut('paused', null)
    answerConversation({
      ...conversation,
      customer: { smsOptOut: { ...conversation.customer.smsOptOut, saidElsewhere: true } },
    })
    server.on('POST', `/api/customers/${id}/opt-out`, { body: { state: 'lifted' } })
    const app = open()
    expect(await screen.findByText('They asked at this number not to be texted on Nov 14, 2026')).toBeInTheDocument()
    expect(screen.getByText(/wrote to another business on the shared number, so you cannot read/)).toBeInTheDocument()
    expect(screen.getByText(/If the other business confirms STOP, your texts stop again/)).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'They want our texts' }))
    expect(await screen.findByText('Texts allowed again')).toBeInTheDocument()
    expect(await bodyOf(sent('POST', `/api/customers/${id}/opt-out`)[0])).toEqual({ state: 'lifted' })
  })

  it('opt-outs are listed per number', async () => {
    const smsOptOut = {
      state: 'stopped',
      since: '2026-11-14T15:12:00Z',
      matched: 'STOP',
      byPerson: false,
      saidElsewhere: false,
    } as const
    answerConversation({
      customer: {
        otherNumbers: [
          { phone: '+13125550155', phoneShown: '(312) 555-0155', smsOptOut },
          { phone: '+13125550156', phoneShown: '(312) 555-0156', smsOptOut: null },
        ],
      },
    })
    server.on('GET', '/api/team', { body: [] })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'More about this conversation' }))
    expect(await screen.findByText('They said STOP from this number.')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: '(312) 555-0156' })).toHaveAttribute('href', 'tel:+13125550156')
  })

  it('possible opt-out of another number: asked beside the composer', async () => {
    const smsOptOut = {
      state: 'paused',
      since: '2026-11-14T15:12:00Z',
      matched: 'please stop',
      byPerson: false,
      saidElsewhere: false,
    } as const
    answerConversation({
      customer: { otherNumbers: [{ phone: '+13125550155', phoneShown: '(312) 555-0155', smsOptOut }] },
    })
    server.on('POST', `/api/customers/${id}/opt-out`, { body: { state: 'stopped' } })
    const app = open()
    expect(
      await screen.findByText('They may have asked to stop from (312) 555-0155: confirm or lift'),
    ).toBeInTheDocument()
    expect(screen.getByRole('textbox', { name: 'Text message' })).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'They want no texts' }))
    expect(await bodyOf(sent('POST', `/api/customers/${id}/opt-out`)[0])).toEqual({ state: 'stopped' })
  })

  it('uncertain opt-out is settled as one', async () => {
    answerConversation(optOut('paused', 'please stop'))
    server.on('POST', `/api/customers/${id}/opt-out`, { body: { state: 'stopped' } })
    const app = open()
    expect(await screen.findByText('please stop')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'They want no texts' }))
    expect(await screen.findByText('Texts stopped')).toBeInTheDocument()
    expect(await bodyOf(sent('POST', `/api/customers/${id}/opt-out`)[0])).toEqual({ state: 'stopped' })
  })

  it('uncertain opt-out is lifted after a confirmation only', async () => {
    answerConversation(optOut('paused', 'please stop'))
    server.on('POST', `/api/customers/${id}/opt-out`, { body: { state: 'lifted' } })
    const app = open()
    expect(await screen.findByText('please stop')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'They did not mean that' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Allow texts again?' }))
    expect(sent('POST', `/api/customers/${id}/opt-out`)).toHaveLength(0)
    await app.user.click(dialog.getByRole('button', { name: 'They may be texted' }))
    expect(await screen.findByText('Pause lifted')).toBeInTheDocument()
    expect(await bodyOf(sent('POST', `/api/customers/${id}/opt-out`)[0])).toEqual({ state: 'lifted' })
  })
})
