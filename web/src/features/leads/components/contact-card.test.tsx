import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { buildId, buildLeadDetail } from '@/testing/builders'
import { LeadContactCard } from './contact-card'

const proposal = {
  id: buildId(),
  leadId: buildId(),
  kind: 'email' as const,
  value: 'gene@home.test',
  shown: 'gene@home.test',
  createdAt: '2026-11-20T15:04:05.000Z',
  activity: 'nothing' as const,
  isFirstForm: true,
  belongsTo: 'Linda',
  belongsToId: buildId(),
  isUsable: true,
  isInUse: false,
}

it('shows emails that are set aside, as the customer page does', () => {
  const work = { ...proposal, id: buildId(), value: 'gene@work.test', shown: 'gene@work.test', belongsTo: null }
  render(<LeadContactCard lead={buildLeadDetail({ email: null, alsoGave: [proposal, work] })} />)
  for (const words of [
    'gene@home.test',
    'Set aside: Linda has it too. Merge the two if they are one person, or ask them.',
    'gene@work.test',
    'Set aside: nothing about their work goes there until you use it.',
  ])
    expect(screen.getByText(words)).toBeInTheDocument()
  expect(screen.queryByText('None in use')).not.toBeInTheDocument()
  expect(screen.queryByRole('link', { name: /gene@/ })).not.toBeInTheDocument()
})

it('names no email in use where none was given or the last was dismissed', () => {
  render(<LeadContactCard lead={buildLeadDetail({ email: null })} />)
  expect(screen.getByText('None in use')).toBeInTheDocument()
})

it('shows an address in use alone, and not what was proposed beside it', () => {
  render(<LeadContactCard lead={buildLeadDetail({ email: 'ana@home.test', alsoGave: [proposal] })} />)
  expect(screen.getByRole('link', { name: 'ana@home.test' })).toHaveAttribute('href', 'mailto:ana@home.test')
  expect(screen.queryByText('gene@home.test')).not.toBeInTheDocument()
})
