// Optimistic board update, and the outcome of a move.
import type { LeadStage, LeadSummary } from '@/domain/lead'
import { t } from '@/lib/i18n'
import type { BoardColumn } from './queries'

/** A lead's amount in the column total: quoted; in Paid collected. */
export function leadColumnAmount(
  { quotedTotal, collectedAmount }: Pick<LeadSummary, 'quotedTotal' | 'collectedAmount'>,
  stage: LeadStage,
): number {
  return (stage === 'Paid' ? collectedAmount : quotedTotal) ?? 0
}

/** In whole cents: sums of dollars drift. */
const addDollars = (dollars: number, more: number) => Math.round(dollars * 100 + more * 100) / 100

/** The columns after the lead is moved to the top of another one. */
export function moveLeadToColumn(columns: readonly BoardColumn[], lead: LeadSummary, to: LeadStage): BoardColumn[] {
  return columns.map((column) => {
    if (column.stage === lead.stage) {
      return {
        ...column,
        count: column.count - 1,
        total: addDollars(column.total, -leadColumnAmount(lead, column.stage)),
        leads: column.leads.filter(({ id }) => id !== lead.id),
      }
    }
    if (column.stage !== to) return column
    return {
      ...column,
      count: column.count + 1,
      total: addDollars(column.total, leadColumnAmount(lead, to)),
      leads: [{ ...lead, stage: to }, ...column.leads],
    }
  })
}

/** What choosing a column for a lead leads to. */
export type MoveOutcome =
  | { kind: 'refused'; why: string }
  | { kind: 'reason' }
  | { kind: 'schedule' }
  | { kind: 'payment' }
  | { kind: 'move' }

/** Scheduled and Paid are more than a move: work gets its time, money is booked. The rest is as the server says. */
export function getMoveOutcome(
  { stage: from, moves }: Pick<BoardColumn, 'stage' | 'moves'>,
  to: LeadStage,
): MoveOutcome {
  if (to === 'Paid' && from !== 'Paid') return { kind: 'payment' }
  const transition = moves.find((move) => move.to === to)
  if (!transition || transition.refused)
    return { kind: 'refused', why: transition?.refused ?? t('It is there already.') }
  if (transition.needsReason) return { kind: 'reason' }
  return { kind: to === 'Scheduled' ? 'schedule' : 'move' }
}
