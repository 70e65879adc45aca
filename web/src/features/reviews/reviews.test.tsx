import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildProblem, buildUser } from '@/testing/builders'
import { type FakeServer, buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { loadReviewScreens } from '@/testing/load-screens'
import { renderApp } from '@/testing/render-app'
import { buildReview } from '@/testing/review-builders'
import type { Review } from './types'

let server: FakeServer
const ann = { customerId: 'c1', name: 'Ann Lee', jobId: 'j1', jobNumber: 1007 }
const good = buildReview({
  customer_name: 'Ana Diaz',
  rating: 5,
  customerId: 'c2',
  customerName: 'Ana Diaz',
  jobId: 'j2',
  jobNumber: 1003,
  matched: 'request',
})
const bare = buildReview({ customer_name: null, date: null, rating: 3.5, review_text: null, source: 'Website' })
const poor = buildReview({ customer_name: 'Ben Carter', rating: 2, way: 'hand' })

beforeAll(loadReviewScreens)

function answerReviews(reviews: readonly Review[]): void {
  server.on('GET', '/api/reviews', (_request, url) => {
    const asked = (name: string) => url.searchParams.get(name)
    const found = reviews.filter(
      (review) =>
        (asked('source') === null || review.source === asked('source')) &&
        (asked('unmatched') === null || !review.matched) &&
        (review.customer_name ?? '').toLowerCase().includes(asked('q') ?? ''),
    )
    return { body: found, headers: { 'X-Total-Count': String(found.length) } }
  })
}

beforeEach(() => {
  server = startFakeServer()
  server.on('GET', '/api/auth/me', { body: buildUser() })
  server.on('GET', '/api/inbox', { body: [] })
  server.on('GET', '/api/reviews/summary', { body: { total: 3, average: 3.5, requested: 30, received: 3 } })
  answerReviews([good, bare, poor])
})

const cards = async () =>
  within(await screen.findByRole('list', { name: 'Reviews, newest first' })).getAllByRole('article')
const card = async (at: number) => within((await cards())[at] as HTMLElement)
const sent = async (method: string, path: string): Promise<unknown> => {
  const request = server.requests.findLast((one) => one.method === method && new URL(one.url).pathname === path)
  return request ? ((await request.json()) as unknown) : undefined
}

describe('review list', () => {
  it('shows name, stars, rating, date, source and text, and marks unknowns', async () => {
    renderApp('/app/reviews')
    expect(await screen.findByText('Total reviews: 3')).toBeInTheDocument()
    expect(screen.getByText('3.5 on average, 30 asked')).toBeInTheDocument()
    const first = await card(0)
    expect(first.getByRole('heading', { name: 'Ana Diaz' })).toBeInTheDocument()
    expect(first.getByRole('img', { name: '5 out of 5 stars' })).toBeInTheDocument()
    expect(first.getByText('Nov 20, 2026')).toBeInTheDocument()
    expect(first.getByText('Google')).toBeInTheDocument()
    expect(first.getByText('The tap is as good as new.')).toBeInTheDocument()
    expect(first.getByRole('link', { name: 'Ana Diaz' })).toHaveAttribute('href', '/app/customers/c2')
    expect(first.getByRole('link', { name: 'Job #1003' })).toHaveAttribute('href', '/app/jobs/j2')
    const second = await card(1)
    for (const words of ['Anonymous', 'No date', 'No review text provided', 'Customer unknown'])
      expect(second.getByText(words)).toBeInTheDocument()
    expect(second.getByRole('img', { name: '3.5 out of 5 stars' })).toBeInTheDocument()
  })

  it('has green, yellow and red badges', async () => {
    renderApp('/app/reviews')
    const badges = (await cards()).map((one) => within(one).getByText('Rating').closest('.rounded-full')?.className)
    expect(badges.map((names) => /text-(?:success|warning|error)/.exec(names ?? '')?.[0])).toEqual([
      'text-success',
      'text-warning',
      'text-error',
    ])
  })

  it('is filtered by source, text and match, and reset', async () => {
    const { user } = renderApp('/app/reviews?source=Website')
    expect(await cards()).toHaveLength(1)
    expect(screen.getByText('1 review found')).toBeInTheDocument()
    expect(await screen.findByRole('radio', { name: 'Website' })).toBeChecked()
    await user.click(screen.getByRole('radio', { name: 'All' }))
    await waitFor(async () => expect(await cards()).toHaveLength(3))
    await user.click(screen.getByRole('checkbox', { name: 'Customer unknown' }))
    await waitFor(async () => expect(await cards()).toHaveLength(2))
    await user.type(screen.getByRole('searchbox'), 'nobody')
    await user.click(await screen.findByRole('button', { name: 'Show all reviews' }))
    await waitFor(async () => expect(await cards()).toHaveLength(3))
  })

  it('shows a figure’s dates, and resets them', async () => {
    const { user } = renderApp('/app/reviews?from=2026-11-14&to=2026-11-20')
    await cards()
    const asked = () =>
      server.requests
        .filter(({ url }) => new URL(url).pathname === '/api/reviews')
        .map(({ url }) => new URL(url).searchParams.get('from'))
    expect(asked()).toContain('2026-11-14')
    expect(screen.getByText('3 reviews found')).toBeInTheDocument()
    await user.click(screen.getByRole('button', { name: 'Nov 14, 2026 to Nov 20, 2026' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Nov 14/ })).not.toBeInTheDocument())
    expect(screen.queryByText(/ found$/)).not.toBeInTheDocument()
  })

  it('ignores invalid dates', async () => {
    renderApp('/app/reviews?from=2026-99-99&to=soon')
    await cards()
    expect(server.requests.some(({ url }) => url.includes('from='))).toBe(false)
  })

  it('shows an empty state, and load errors', async () => {
    server.on('GET', '/api/reviews', buildProblemResponse(buildProblem(503, 'unavailable')))
    const { user } = renderApp('/app/reviews')
    const retry = await screen.findByRole('button', { name: 'Try again' })
    answerReviews([])
    await user.click(retry)
    expect(await screen.findByText('No reviews yet')).toBeInTheDocument()
    expect(screen.getByRole('link', { name: 'Set your review link' })).toHaveAttribute('href', '/app/settings/business')
    expect(screen.queryByRole('searchbox')).not.toBeInTheDocument()
    expect(screen.queryByRole('button', { name: 'Export CSV' })).not.toBeInTheDocument()
  })

  it('does not ask for a link that is set', async () => {
    const viewer = buildUser()
    server.on('GET', '/api/auth/me', { body: viewer })
    server.on('GET', `/api/org/${viewer.orgId}`, {
      body: {
        id: viewer.orgId,
        slug: 'acme',
        name: 'Acme Plumbing',
        timezone: 'America/Chicago',
        reviewLink: 'https://g.page/r/acme/review',
      },
    })
    answerReviews([])
    renderApp('/app/reviews')
    expect(await screen.findByText(/^Press Request Review on a finished job/)).toBeInTheDocument()
    expect(screen.queryByRole('link', { name: 'Set your review link' })).not.toBeInTheDocument()
  })

  it.each(['CSV', 'JSON'])('is exported as %s', async (kind) => {
    const saved: string[] = []
    vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => undefined }))
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download)
    })
    server.on('GET', '/api/reviews/export', (_request, url) => ({
      body: 'x',
      headers: {
        'Content-Disposition': `attachment; filename="reviews-${url.searchParams.get('source')}.${url.searchParams.get('format')}"`,
      },
    }))
    const { user } = renderApp('/app/reviews?source=Google')
    await user.click(await screen.findByRole('button', { name: `Export ${kind}` }))
    expect(await screen.findByText('Export successful')).toBeInTheDocument()
    expect(screen.getByText(`Reviews data has been exported to ${kind}`)).toBeInTheDocument()
    expect(saved).toEqual([`reviews-Google.${kind.toLowerCase()}`])
  })
})

describe('matching a review', () => {
  const asked = buildReview({ customer_name: 'Ann Lee', suggestion: ann })
  const path = `/api/reviews/${asked.id}/match`

  it.each([
    ['Yes', { customerId: 'c1', jobId: 'j1' }, 'The review is linked to Ann Lee.'],
    ['No', { customerId: null, jobId: null }, 'The review belongs to none of your customers.'],
  ])('asks where only the name matches: %s', async (answer, body, expectedText) => {
    answerReviews([asked])
    server.on('POST', path, { body: asked })
    const { user } = renderApp('/app/reviews')
    const question = within(await screen.findByRole('group', { name: 'Is this Ann Lee?' }))
    expect(question.getByRole('link', { name: '#1007' })).toHaveAttribute('href', '/app/jobs/j1')
    await user.click(question.getByRole('button', { name: answer }))
    expect(await screen.findByText(expectedText)).toBeInTheDocument()
    expect(await sent('POST', path)).toEqual(body)
  })

  it('by hand: customer first, then job', async () => {
    server.on('GET', '/api/customers', {
      body: [{ id: 'c9', name: 'Cy Young', phoneShown: '(312) 555-0101', email: null }],
    })
    server.on('GET', '/api/customers/c9', {
      body: {
        id: 'c9',
        name: 'Cy Young',
        jobs: [
          { id: 'j9', number: 1009, service: 'roofing', status: 'Completed', completedAt: '2026-11-19T16:00:00.000Z' },
        ],
      },
    })
    server.on('POST', `/api/reviews/${bare.id}/match`, { body: bare })
    const { user } = renderApp('/app/reviews')
    await user.click((await card(1)).getByRole('button', { name: 'Choose the customer' }))
    await user.click(await screen.findByRole('button', { name: /^Cy Young/ }))
    await user.click(await screen.findByRole('button', { name: /#1009/ }))
    expect(await screen.findByText('The review is linked to Cy Young.')).toBeInTheDocument()
    expect(await sent('POST', `/api/reviews/${bare.id}/match`)).toEqual({ customerId: 'c9', jobId: 'j9' })
  })
})

describe('review reply', () => {
  const path = `/api/reviews/${poor.id}/reply`

  beforeEach(() => {
    server.on('GET', `/api/reviews/${poor.id}`, { body: { ...poor, draft: 'Thank you, Ben. We will put it right.' } })
  })

  it('starts with a draft, is edited, copied and saved', async () => {
    server.on('POST', path, { body: poor })
    const { user } = renderApp('/app/reviews')
    await user.click((await card(2)).getByRole('button', { name: 'Draft an answer' }))
    const field = await screen.findByLabelText('Your answer')
    expect(field).toHaveValue('Thank you, Ben. We will put it right.')
    await user.type(field, ' Call us.')
    await user.click(screen.getByRole('button', { name: 'Copy the answer' }))
    expect(await screen.findByText('Answer copied')).toBeInTheDocument()
    expect(await navigator.clipboard.readText()).toBe('Thank you, Ben. We will put it right. Call us.')
    await user.click(screen.getByRole('button', { name: 'Keep' }))
    expect(await screen.findByText('Answer kept')).toBeInTheDocument()
    expect(await sent('POST', path)).toEqual({ text: 'Thank you, Ben. We will put it right. Call us.' })
  })

  it('saved: shown with author and date, and can be removed', async () => {
    const kept = { ...poor, reply: { text: 'Sorry, Ben.', keptAt: '2026-11-21T15:00:00.000Z', by: 'Olive' } }
    answerReviews([kept])
    server.on('GET', `/api/reviews/${poor.id}`, { body: { ...kept, draft: 'A draft.' } })
    server.on('POST', path, { body: poor })
    const { user } = renderApp('/app/reviews')
    expect(await screen.findByText('Your answer, kept Nov 21, 2026 by Olive')).toBeInTheDocument()
    await user.click((await card(0)).getAllByRole('button', { name: 'Change' })[0] as HTMLElement)
    expect(await screen.findByLabelText('Your answer')).toHaveValue('Sorry, Ben.')
    await user.click(screen.getByRole('button', { name: 'Remove' }))
    expect(await screen.findByText('Answer removed')).toBeInTheDocument()
    expect(await sent('POST', path)).toEqual({ text: null })
  })

  it('opens at once from the alert of the review', async () => {
    renderApp(`/app/reviews?review=${poor.id}`)
    expect(await screen.findByRole('heading', { name: 'Ben Carter' })).toBeInTheDocument()
    expect(await screen.findByLabelText('Your answer')).toHaveValue('Thank you, Ben. We will put it right.')
    expect(screen.getByRole('link', { name: 'All reviews' })).toHaveAttribute('href', '/app/reviews')
  })
})

describe('reviews by hand', () => {
  it('are added once, with missing fields named', async () => {
    server.on('POST', '/api/reviews', { status: 201, body: poor })
    const { user } = renderApp('/app/reviews')
    await user.click(await screen.findByRole('button', { name: 'Add review' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add a review' }))
    await user.type(dialog.getByLabelText(/^Rating/), '6')
    await user.click(dialog.getByRole('button', { name: 'Add review' }))
    expect(await dialog.findByText('Enter a rating from 1 to 5, like 5 or 4.5')).toBeInTheDocument()
    await user.clear(dialog.getByLabelText(/^Rating/))
    await user.type(dialog.getByLabelText(/^Rating/), '4.5')
    await user.type(dialog.getByLabelText(/^Customer/), 'Ann Lee')
    await user.type(dialog.getByLabelText(/^Source/), 'Google')
    await user.click(dialog.getByRole('button', { name: 'Add review' }))
    expect(await screen.findByText('Review added')).toBeInTheDocument()
    expect(await sent('POST', '/api/reviews')).toEqual({
      customer_name: 'Ann Lee',
      rating: 4.5,
      date: null,
      source: 'Google',
      review_text: null,
      phone: null,
      email: null,
    })
    expect(server.requests.findLast(({ method }) => method === 'POST')?.headers.get('Idempotency-Key')).toHaveLength(36)
  })

  it('can be removed after a confirmation; customers’ own cannot', async () => {
    server.on('DELETE', `/api/reviews/${poor.id}`, { status: 204 })
    const { user } = renderApp('/app/reviews')
    expect((await card(0)).queryByRole('button', { name: /^Remove/ })).not.toBeInTheDocument()
    await user.click((await card(2)).getByRole('button', { name: 'Remove the review of Ben Carter' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Remove this review?' }))
    await user.click(dialog.getByRole('button', { name: 'Remove review' }))
    expect(await screen.findByText('Review removed')).toBeInTheDocument()
  })

  it('are imported after a row-by-row preview', async () => {
    const asked: (string | null)[] = []
    server.on('POST', '/api/reviews/import', async (request, url) => {
      asked.push(url.searchParams.get('dryRun'))
      expect(await request.text()).toBe('Rating,Customer\n5,Ann Lee')
      return {
        body: {
          added: 3,
          same: 1,
          failed: 1,
          errors: [{ row: 4, column: 'Rating', message: 'Write a rating from 1 to 5' }],
          rows: [
            {
              row: 2,
              outcome: 'added',
              date: null,
              customer_name: 'Ann Lee',
              rating: 5,
              review_text: null,
              source: 'Google',
            },
          ],
          ignored: ['Reply'],
        },
      }
    })
    const { user } = renderApp('/app/reviews')
    await user.click(await screen.findByRole('button', { name: 'Import CSV' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Import reviews' }))
    await user.upload(
      dialog.getByLabelText('Reviews file'),
      new File(['Rating,Customer\n5,Ann Lee'], 'reviews.csv', { type: 'text/csv' }),
    )
    expect(await dialog.findByText('3 new')).toBeInTheDocument()
    expect(dialog.getByText('Row 4, Rating: Write a rating from 1 to 5')).toBeInTheDocument()
    expect(dialog.getByText('Not read: Reply')).toBeInTheDocument()
    expect(dialog.getByRole('row', { name: /Ann Lee.*No date, Google.*New/ })).toBeInTheDocument()
    await user.click(dialog.getByRole('button', { name: 'Import 3 reviews' }))
    expect(await screen.findByText('3 added, 1 here already.')).toBeInTheDocument()
    expect(asked).toEqual(['true', 'false'])
  })
})
