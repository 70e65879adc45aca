import { render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { expect, it } from 'vitest'
import type { Customer } from '../types'
import { ConversationCard } from './conversation-card'

const thread = { lastAt: '2026-11-20T15:04:05.000Z', lastPreview: 'See you then', lastKind: 'out', unread: 0 }

it.each([
  ['not_sent', /^Not sent, written /],
  ['queued', /^Waiting to send, written /],
  ['held', /^Held, written /],
  ['delivered', /^You wrote /],
] as const)('last message of ours, %s: shown as %s', (lastStatus, words) => {
  const customer = { id: 'c1', thread: { ...thread, lastStatus } } as Customer
  render(
    <MemoryRouter>
      <ConversationCard customer={customer} timeZone="America/Chicago" />
    </MemoryRouter>,
  )
  expect(screen.getByText(words)).toBeInTheDocument()
})

it('a form as the last word: named as a form', () => {
  const customer = { id: 'c1', thread: { ...thread, lastKind: 'form', lastPreview: 'It drips' } } as Customer
  render(
    <MemoryRouter>
      <ConversationCard customer={customer} timeZone="America/Chicago" />
    </MemoryRouter>,
  )
  expect(screen.getByText(/^Form /)).toBeInTheDocument()
  expect(screen.getByText(/It drips/)).toBeInTheDocument()
})

it('nothing from them yet: points to the conversation', () => {
  render(
    <MemoryRouter>
      <ConversationCard customer={{ id: 'c1' } as Customer} timeZone="America/Chicago" />
    </MemoryRouter>,
  )
  expect(screen.getByText(/^They have not written yet\./)).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Open the conversation' })).toBeInTheDocument()
})
