import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Schema } from '@/api/client'
import type { OutboxEntry } from '@/offline/outbox/entry'
import { outbox } from '@/offline/outbox/outbox'
import { buildAlert, buildProblem, buildUser } from '@/testing/builders'
import { buildProblemResponse, type FakeServer, startFakeServer } from '@/testing/fake-server'
import { buildJob } from '@/testing/job-builders'
import { renderSignedIn } from '@/testing/render-app'
import { buildWorkItem } from '@/testing/work-builders'
import { Worklist } from './components/worklist'
import './actions/assign-sheet'
import './actions/snooze-sheet'

const user = buildUser()
const ana = buildWorkItem({ customerName: 'Ana Arroyo' })
const ben = buildWorkItem({
  customerName: 'Ben Builder',
  kind: 'collect',
  source: 'invoice',
  action: 'collect',
  invoiceId: 'i1',
  amountCents: 45_050,
  excerpt: null,
})
const QUEUED: OutboxEntry[] = [
  {
    id: 1,
    key: 'k1',
    jobId: ana.customerId ?? '',
    jobName: 'Ana Arroyo',
    command: { kind: 'message', message: { channel: 'sms', body: 'We come at 2.' } },
    happenedAt: new Date().toISOString(),
    tries: 0,
    notBefore: 0,
    refusal: null,
  },
]
let server: FakeServer
/** What the server has. */
let waiting: Schema['WorkItem'][] = []

const rows = () => within(screen.getByRole('list', { name: /^Waiting for you/ })).getAllByRole('listitem')
const names = () => rows().map((row) => within(row).getAllByRole('link')[0]?.textContent)
const changes = () =>
  server.requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url }) => `${method} ${new URL(url).pathname}`)
const toast = () => within(screen.getByRole('region', { name: 'Notifications (F8)' }))
const path = (item: Schema['WorkItem'], what: string) => `/api/worklist/${encodeURIComponent(item.key)}/${what}`

function open() {
  return renderSignedIn(<Worklist />)
}

/** The server takes the mark, and answers without the item from then on. */
function accept(item: Schema['WorkItem'], what: string) {
  server.on('POST', path(item, what), () => {
    waiting = waiting.filter(({ key }) => key !== item.key)
    return { status: 204 }
  })
}

beforeEach(() => {
  waiting = [ana, ben]
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: user })
  server.on('GET', '/api/alerts', { body: [] })
  server.on('GET', '/api/schedule', { body: { jobs: [] } })
  server.on('GET', '/api/worklist', (_request, url) => ({
    body: url.searchParams.get('view') === 'next' ? waiting : [],
    headers: { 'X-Total-Count': String(waiting.length) },
  }))
  server.on('GET', '/api/worklist/count', () => ({ body: { waiting: waiting.length, late: 1, isCapped: false } }))
})

describe('worklist', () => {
  it('shows who, why, since when, the promise, the amount and one button', async () => {
    const dueSoon = new Date(Date.now() + 20 * 60_000).toISOString()
    waiting = [{ ...ana, answerBy: dueSoon, assignee: { id: user.id, name: user.name } }, ben]
    open()
    expect(await screen.findByText('2 waiting, 1 late')).toBeInTheDocument()
    const [first = document.body, second = document.body] = rows()
    expect(first).toHaveTextContent(/^Ana ArroyoAsked by form 12 min ago · Plumbing“The kitchen tap drips.”Answer/)
    expect(first).toHaveTextContent(/Waiting, 12 minAnswer by .*Yours/)
    expect(within(first).getByRole('link', { name: 'Answer: Ana Arroyo' })).toHaveAttribute(
      'href',
      `/app/inbox/${ana.customerId ?? ''}?do=answer`,
    )
    expect(second).toHaveTextContent(/^Ben Builder\$450\.50Invoice past due, 12 min ago/)
    expect(within(second).getByRole('link', { name: 'Collect: Ben Builder' })).toHaveAttribute(
      'href',
      '/app/invoices/i1?do=collect',
    )
  })

  it.each([
    ['sent', 'Auto-reply sent, no personal answer yet'],
    ['waiting', 'The auto-reply waits to be sent'],
    ['in_doubt', "We can't tell if the auto-reply was delivered"],
    ['not_sent', 'The auto-reply was not sent'],
  ] as const)('auto-reply %s: beside who waits, and not beside money', async (autoReply, words) => {
    waiting = [
      { ...ana, autoReply },
      { ...ben, autoReply },
    ]
    open()
    expect(await screen.findAllByText(words)).toHaveLength(1)
    expect(rows()[0]).toHaveTextContent(words)
  })

  it('answer in the outbox of this device: says that it waits', async () => {
    waiting = [{ ...ana, autoReply: 'sent' }]
    vi.spyOn(outbox, 'current').mockReturnValue(QUEUED)
    open()
    expect(await screen.findByText('Your answer waits on this device, not sent yet')).toBeInTheDocument()
    expect(screen.queryByText(/Auto-reply sent/)).not.toBeInTheDocument()
  })

  it('done: gone at once, with an undo', async () => {
    accept(ana, 'done')
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Mark as done: Ana Arroyo' }))
    expect(names()).toEqual(['Ben Builder'])
    expect(await toast().findByText('Marked as done')).toBeInTheDocument()
    expect(await screen.findByText('1 waiting, 1 late')).toBeInTheDocument()
    const sent = server.requests.find(({ method }) => method === 'POST')
    expect(await sent?.json()).toEqual({ since: ana.since })
    server.on('POST', path(ana, 'undo'), () => {
      waiting = [ana, ben]
      return { status: 204 }
    })
    await app.user.click(toast().getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(names()).toEqual(['Ana Arroyo', 'Ben Builder']))
    expect(toast().getByText('Back on your list')).toBeInTheDocument()
    expect(changes()).toEqual([`POST ${path(ana, 'done')}`, `POST ${path(ana, 'undo')}`])
  })

  it('done: the number on the screen changes before the server answers', async () => {
    server.on('POST', path(ana, 'done'), () => new Promise(() => undefined))
    const app = open()
    await screen.findByText('2 waiting, 1 late')
    await app.user.click(screen.getByRole('button', { name: 'Mark as done: Ana Arroyo' }))
    expect(names()).toEqual(['Ben Builder'])
    expect(screen.getByText('1 waiting, 1 late')).toBeInTheDocument()
  })

  it('done: back with the server’s words where something newer waits, as it is now', async () => {
    const words = 'Something new came in. Nothing was changed.'
    server.on('POST', path(ana, 'done'), () => {
      waiting = [{ ...ana, excerpt: 'And the toilet.' }, ben]
      return buildProblemResponse(buildProblem(409, 'conflict', { detail: words, reason: 'work_item_changed' }))
    })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Mark as done: Ana Arroyo' }))
    expect(await toast().findByText(words)).toBeInTheDocument()
    expect(await screen.findByText('“And the toilet.”')).toBeInTheDocument()
    expect(names()).toEqual(['Ana Arroyo', 'Ben Builder'])
    expect(screen.getByText('2 waiting, 1 late')).toBeInTheDocument()
  })

  it('snooze: in an hour', async () => {
    accept(ben, 'snooze')
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Snooze: Ben Builder' }))
    const before = Date.now()
    const dialog = await screen.findByRole('dialog', { name: 'Snooze Ben Builder' })
    await app.user.click(within(dialog).getByRole('button', { name: '1 hour' }))
    expect(await toast().findByText('Snoozed')).toBeInTheDocument()
    const body = (await server.requests.find(({ method }) => method === 'POST')?.json()) as { until: string }
    expect(Math.abs(Date.parse(body.until) - before - 3_600_000)).toBeLessThan(70_000)
    expect(names()).toEqual(['Ana Arroyo'])
  })

  it('snooze: a refused time is named', async () => {
    server.on(
      'POST',
      path(ben, 'snooze'),
      buildProblemResponse(buildProblem(422, 'validation_failed', { errors: { until: 'Choose an earlier time.' } })),
    )
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Snooze: Ben Builder' }))
    await app.user.click(await screen.findByRole('button', { name: 'Tomorrow 8:00 AM' }))
    expect(await toast().findByText('Choose an earlier time.')).toBeInTheDocument()
    expect(names()).toEqual(['Ana Arroyo', 'Ben Builder'])
  })

  it('assign: shown at once, and taken back where the server refuses', async () => {
    const team = [
      { ...user, isActive: true },
      { ...buildUser({ name: 'Sam Office' }), isActive: true },
      { ...buildUser({ name: 'Gone Long' }), isActive: false },
    ]
    server.on('GET', '/api/team', { body: team })
    let refuse: () => void = () => undefined
    server.on('POST', path(ana, 'assign'), async () => {
      await new Promise<void>((done) => {
        refuse = done
      })
      return buildProblemResponse(buildProblem(409, 'conflict', { detail: 'Sam is no longer here.' }))
    })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Assign: Ana Arroyo' }))
    const dialog = await screen.findByRole('dialog', { name: 'Assign Ana Arroyo' })
    const choices = await within(dialog).findAllByRole('listitem')
    expect(choices.map(({ textContent }) => textContent)).toEqual(['Olivia Owner (you)', 'Sam Office'])
    await app.user.click(within(dialog).getByRole('button', { name: 'Sam Office' }))
    await waitFor(() => expect(rows()[0]).toHaveTextContent('Sam Office'))
    await act(async () => refuse())
    expect(await toast().findByText('Sam is no longer here.')).toBeInTheDocument()
    expect(rows()[0]).not.toHaveTextContent('Sam Office')
  })

  it('snoozed and done items come back by their button', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString()
    server.on('GET', '/api/worklist', (_request, url) => ({
      body:
        url.searchParams.get('view') === 'snoozed'
          ? [{ ...ana, snoozedUntil: later }]
          : url.searchParams.get('view') === 'done'
            ? [{ ...ben, doneAt: new Date().toISOString(), doneBy: 'Olivia Owner' }]
            : [],
    }))
    server.on('POST', path(ana, 'undo'), { status: 204 })
    const app = open()
    await app.user.click(await screen.findByRole('tab', { name: 'Done' }))
    expect(await screen.findByText(/by Olivia Owner$/)).toBeInTheDocument()
    await app.user.click(screen.getByRole('tab', { name: 'Snoozed' }))
    expect(await screen.findByText(/^Until /)).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Bring back: Ana Arroyo' }))
    expect(await toast().findByText('Back on your list')).toBeInTheDocument()
  })

  it('only mine: asks the server', async () => {
    const app = open()
    await screen.findByText('Ana Arroyo')
    await app.user.click(screen.getByRole('checkbox', { name: 'Mine' }))
    await waitFor(() => expect(server.requests.some(({ url }) => url.includes('assignee=me'))).toBe(true))
  })

  it('loads the next page on request, a longer one, so that 1,000 items need few requests', async () => {
    server.on('GET', '/api/worklist', (_request, { searchParams }) => ({
      body: searchParams.has('cursor') ? [ben] : [ana],
      headers: {
        'X-Total-Count': '2',
        ...(searchParams.has('cursor') ? {} : { Link: '</api/worklist?cursor=c2>; rel="next"' }),
      },
    }))
    const app = open()
    expect(await screen.findByText('1 of 2 shown')).toBeInTheDocument()
    await app.user.click(screen.getByRole('button', { name: 'Show more' }))
    await waitFor(() => expect(names()).toEqual(['Ana Arroyo', 'Ben Builder']))
    expect(screen.queryByRole('button', { name: 'Show more' })).not.toBeInTheDocument()
    const limits = server.requests
      .map(({ url }) => new URL(url))
      .filter(({ pathname }) => pathname === '/api/worklist')
      .map(({ searchParams }) => searchParams.get('limit'))
    expect(limits).toEqual(['20', '100'])
  })

  it('load error: says so, with a retry', async () => {
    server.on('GET', '/api/worklist', buildProblemResponse(buildProblem(503, 'unavailable')))
    const app = open()
    expect(await screen.findByRole('heading', { name: 'Not available right now' })).toBeInTheDocument()
    server.on('GET', '/api/worklist', { body: [ana] })
    await app.user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Ana Arroyo')).toBeInTheDocument()
  })
})

describe('worklist without a connection', () => {
  it('stays readable; to bring an item back needs a connection', async () => {
    server.on('GET', '/api/worklist', { body: [{ ...ben, doneAt: new Date().toISOString(), doneBy: 'Olivia Owner' }] })
    const app = open()
    await app.user.click(await screen.findByRole('tab', { name: 'Done' }))
    const back = await screen.findByRole('button', { name: 'Bring back: Ben Builder' })
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    act(() => void globalThis.dispatchEvent(new Event('offline')))
    expect(screen.getByText(/^You are offline\. What you mark here/)).toBeInTheDocument()
    await app.user.click(back)
    expect(await toast().findByText(/needs a connection\. Nothing was changed\.$/)).toBeInTheDocument()
    expect(changes()).toEqual([])
  })
})

describe('worklist with nobody waiting', () => {
  beforeEach(() => {
    waiting = []
  })

  it('names the next visit', async () => {
    const date = new Date(Date.now() + 3_600_000).toISOString()
    const job = buildJob({ customer: 'Dora Drain', date })
    server.on('GET', '/api/schedule', { body: { jobs: [job] } })
    open()
    expect(await screen.findByRole('heading', { name: "You're all caught up" })).toBeInTheDocument()
    expect(await screen.findByRole('link', { name: /Dora Drain$/ })).toHaveAttribute('href', `/app/jobs/${job.id}`)
  })

  it('says that no visit is booked', async () => {
    open()
    expect(await screen.findByText('No visits in the next 7 days.')).toBeInTheDocument()
  })
})

describe('alerts of the worklist', () => {
  beforeEach(() => server.on('POST', '/api/alerts/seen', { status: 204 }))

  it('one line, opened on request, marked as seen together', async () => {
    const alerts = [buildAlert({ title: 'Text from Ana' }), buildAlert({ title: 'Call from Ben' })]
    server.on('GET', '/api/alerts', () => ({ body: alerts }))
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: '2 alerts' }))
    expect(screen.getByText('Text from Ana')).toBeInTheDocument()
    server.on('GET', '/api/alerts', { body: [] })
    await app.user.click(screen.getByRole('button', { name: 'Mark all as seen' }))
    expect(await toast().findByText('Marked as seen')).toBeInTheDocument()
    expect(screen.queryByText('Text from Ana')).not.toBeInTheDocument()
    expect(changes()).toEqual(['POST /api/alerts/seen'])
  })

  it('urgent ones take one tap more', async () => {
    const alert = buildAlert({ title: 'Gas smell', isUrgent: true })
    server.on('GET', '/api/alerts', { body: [alert] })
    const app = open()
    await app.user.click(await screen.findByRole('button', { name: 'Mark all as seen' }))
    expect(changes()).toEqual([])
    await app.user.click(screen.getByRole('button', { name: 'Mark 1 alert as seen, urgent ones too' }))
    await waitFor(() => expect(changes()).toEqual(['POST /api/alerts/seen']))
  })
})
