import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen } from '@testing-library/react'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildFormContext } from '@/testing/builders'
import { type FakeServer, startFakeServer } from '@/testing/fake-server'
import { FreeTimes } from './free-times'

let server: FakeServer
const receipt = { id: 'lead-1', reference: 'A7C21F0B', timesPath: '/p/token-1' }
const next = [
  { startsAt: '2026-11-24T14:00:00Z', day: '2026-11-24', label: '8:00-10:00 AM' },
  { startsAt: '2026-11-24T16:00:00Z', day: '2026-11-24', label: '10:00 AM-12:00 PM' },
  { startsAt: '2026-11-25T14:00:00Z', day: '2026-11-25', label: '8:00-10:00 AM' },
]

beforeEach(() => {
  server = startFakeServer()
})

function renderTimes(parts: Partial<Parameters<typeof FreeTimes>[0]> = {}) {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <FreeTimes context={buildFormContext()} receipt={receipt} {...parts} />
    </QueryClientProvider>,
  )
}

describe('free times after a form', () => {
  it('are three buttons of one form, with other times behind a link', async () => {
    server.on('GET', '/api/public/times', { body: { next, needsAddress: true } })
    renderTimes()
    const first = await screen.findByRole('button', { name: 'Tue, Nov 24, 8:00-10:00 AM' })
    expect(first).toHaveAttribute('value', '2026-11-24T14:00:00Z')
    expect(first.closest('form')).toHaveAttribute('action', '/p/token-1/time')
    expect(screen.getAllByRole('button')).toHaveLength(3)
    expect(screen.getByRole('link', { name: 'Other times' })).toHaveAttribute('href', '/p/token-1')
    expect(screen.getByLabelText(/^Where should we come\?/)).toBeRequired()
    expect(new URL(server.requests[0]?.url ?? '').searchParams.get('link')).toBe('token-1')
  })

  it('take the address that was typed into the form', async () => {
    server.on('GET', '/api/public/times', { body: { next, needsAddress: false } })
    const { container } = renderTimes({ address: '12 Elm St' })
    await screen.findByRole('button', { name: /^Wed, Nov 25/ })
    expect(container.querySelector('input[name="address"]')).toHaveValue('12 Elm St')
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument()
  })

  it('nothing free: asks for a call', async () => {
    server.on('GET', '/api/public/times', { body: { next: [], needsAddress: true } })
    renderTimes()
    expect(await screen.findByText(/Nothing is free right now/)).toBeInTheDocument()
  })

  it('times that cannot be read are behind a link', async () => {
    server.on('GET', '/api/public/times', { status: 404, body: {} })
    renderTimes()
    expect(await screen.findByRole('link', { name: 'See free times' })).toHaveAttribute('href', '/p/token-1')
  })

  it('without a link of the request: lead to the booking page, or nowhere', () => {
    const { timesPath: _, ...plain } = receipt
    const bookingUrl = 'https://times.example/acme'
    const { container, unmount } = renderTimes({ receipt: plain, context: buildFormContext({ bookingUrl }) })
    expect(container.querySelector('a')).toHaveAttribute('href', bookingUrl)
    unmount()
    expect(renderTimes({ receipt: plain }).container).toBeEmptyDOMElement()
  })
})
