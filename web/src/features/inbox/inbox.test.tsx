import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildProblem, buildThread, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadShell } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'

let server: FakeServer
const user = buildUser()

function answerInbox(threads: ReturnType<typeof buildThread>[], unread = 0) {
  server.on('GET', '/api/inbox', {
    body: threads,
    headers: { 'X-Total-Count': String(threads.length), 'X-Unread-Count': String(unread) },
  })
}

const sent = (method: string, path: string) =>
  server.requests.filter((request) => request.method === method && new URL(request.url).pathname === path)

// A screen's first loading is no part of any story, and takes long on a busy machine.
beforeAll(() => Promise.all([import('./inbox.route'), loadShell()]))

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  answerInbox([])
})

describe('thread list', () => {
  it('shows who waits, the last message, and the unread count', async () => {
    answerInbox(
      [
        buildThread({ name: 'Ana Arroyo', unread: 2, waitingSince: '2020-01-01T00:00:00Z' }),
        buildThread({ name: 'Ben Brand', lastKind: 'out', lastPreview: 'See you', optedOut: 'stopped' }),
      ],
      1,
    )
    renderApp('/app/inbox')
    const [ana, ben] = within(await screen.findByRole('list', { name: 'Conversations, newest first' })).getAllByRole(
      'listitem',
    )
    expect(ana).toHaveTextContent(/Ana Arroyo.*Can you come today\?.*2 unread.*Waits \d+ d.*Take it/)
    expect(ben).toHaveTextContent(/Ben Brand.*You: See you.*STOP/)
    expect(screen.getByRole('radio', { name: /^Unread/ })).toHaveAccessibleName('Unread 1')
  })

  it.each([
    ['not_sent', 'Not sent: See you'],
    ['queued', 'Waiting to send: See you'],
    ['held', 'Held: See you'],
    ['failed', 'Failed: See you'],
    ['sent', 'You: See you'],
  ] as const)('our last message, %s: shown as %s', async (lastStatus, words) => {
    answerInbox([buildThread({ name: 'Ben Brand', lastKind: 'out', lastPreview: 'See you', lastStatus })])
    renderApp('/app/inbox')
    expect(await screen.findByRole('link', { name: new RegExp(words) })).toBeInTheDocument()
  })

  it('a form as the last word: named as a form, with their words or the service', async () => {
    answerInbox([
      buildThread({ name: 'Ana Arroyo', lastKind: 'form', lastPreview: 'Water on the floor', unread: 1 }),
      buildThread({ name: 'Ben Brand', lastKind: 'form', lastPreview: 'Plumbing' }),
    ])
    renderApp('/app/inbox')
    expect(await screen.findByRole('link', { name: /Ana Arroyo.*Form: Water on the floor/ })).toBeInTheDocument()
    expect(screen.getByRole('link', { name: /Ben Brand.*Form: Plumbing/ })).toBeInTheDocument()
  })

  it('unread: asked for by the address, and all caught up without any', async () => {
    renderApp('/app/inbox?filter=unread')
    expect(await screen.findByRole('heading', { name: "You're all caught up" })).toBeInTheDocument()
    expect(screen.getByRole('radio', { name: /^Unread/ })).toBeChecked()
    // The count beside the filter asks for one row only.
    const lists = sent('GET', '/api/inbox').map(({ url }) => new URL(url).searchParams)
    expect(lists.filter((asked) => asked.get('limit') !== '1').map((asked) => asked.get('filter'))).toEqual(['unread'])
  })

  it('empty, without a number: says how to set one up, and promises no texts', async () => {
    server.on('GET', '/api/sending-number', {
      body: {
        isSetUp: true,
        why: 'your business has no number to send texts from',
        others: [],
        sharesService: false,
        unsentTexts: 0,
      },
    })
    renderApp('/app/inbox')
    expect(await screen.findByText('Texts do not come in yet')).toBeInTheDocument()
    expect(screen.getByText(/^Your business has no number to send texts from\. So no text/)).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Set up a number' })).toHaveAttribute(
      'href',
      '/app/settings/texting-number',
    )
    expect(screen.queryByText(/land here the moment/)).not.toBeInTheDocument()
  })

  it('without a number, with conversations: still says that no texts come in', async () => {
    server.on('GET', '/api/sending-number', {
      body: {
        isSetUp: true,
        why: 'your business has no number to send texts from',
        others: [],
        sharesService: false,
        unsentTexts: 0,
      },
    })
    answerInbox([buildThread({ name: 'Ana Arroyo' })])
    renderApp('/app/inbox')
    expect(await screen.findByRole('link', { name: /Ana Arroyo/ })).toBeInTheDocument()
    expect(await screen.findByText('Texts do not come in yet')).toBeInTheDocument()
  })

  it('requests the chosen filter and search', async () => {
    const app = renderApp('/app/inbox')
    await app.user.click(await screen.findByRole('radio', { name: 'Mine' }))
    expect(await screen.findByText('Nothing is yours')).toBeInTheDocument()
    await app.user.type(screen.getByRole('searchbox'), 'ana')
    expect(await screen.findByText('No conversation matches your search.')).toBeInTheDocument()
    const asked = server.requests
      .map(({ url }) => new URL(url))
      .filter(({ pathname, searchParams }) => pathname === '/api/inbox' && searchParams.get('q') === 'ana')
    expect(asked.at(-1)?.searchParams.get('filter')).toBe('mine')
  })

  it('assigns an unassigned conversation to the current user', async () => {
    const thread = buildThread({ name: 'Ana Arroyo', waitingSince: '2026-11-20T15:00:00Z' })
    answerInbox([thread])
    server.on('PATCH', `/api/customers/${thread.customerId}/thread`, { body: thread })
    const app = renderApp('/app/inbox')
    await app.user.click(await screen.findByRole('button', { name: 'Take it: Ana Arroyo' }))
    await waitFor(() => expect(sent('PATCH', `/api/customers/${thread.customerId}/thread`)).toHaveLength(1))
    expect(await sent('PATCH', `/api/customers/${thread.customerId}/thread`)[0]?.clone().json()).toEqual({
      assignedTo: user.id,
    })
  })

  it('moves with the arrow keys', async () => {
    answerInbox([buildThread({ name: 'Ana' }), buildThread({ name: 'Ben' })])
    const app = renderApp('/app/inbox')
    const [ana, ben] = await screen.findAllByRole('link', { name: /^(?:Ana|Ben)/ })
    await app.user.click(screen.getByRole('searchbox'))
    await app.user.keyboard('{ArrowDown}')
    expect(ana).toHaveFocus()
    await app.user.keyboard('{ArrowDown}')
    expect(ben).toHaveFocus()
    await app.user.keyboard('{ArrowDown}{ArrowUp}')
    expect(ana).toHaveFocus()
  })

  it('shows a load error and retries', async () => {
    server.on('GET', '/api/inbox', buildProblemResponse(buildProblem(500, 'internal')))
    const app = renderApp('/app/inbox')
    expect(await screen.findByText('The inbox could not be loaded')).toBeInTheDocument()
    answerInbox([buildThread({ name: 'Ana' })])
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('link', { name: /^Ana/ })).toBeInTheDocument()
  })
})
