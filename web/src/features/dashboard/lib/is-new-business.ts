import type { Kpis } from '../types'

/** A year without money, two months without a request, nothing owed: there is nothing to show yet. */
export function isNewBusiness({ months, week, priorWeek, month, priorMonth, receivables, isCounted }: Kpis): boolean {
  const isEmpty = [week, priorWeek, month, priorMonth].every(
    ({ newLeads, jobsDone, quotes }) => newLeads.value + jobsDone.value + quotes.sent.value === 0,
  )
  return (
    isCounted &&
    isEmpty &&
    receivables.open.count === 0 &&
    months.every(({ revenue, cost }) => revenue === 0 && cost === 0)
  )
}
