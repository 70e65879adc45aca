import { useState } from 'react'
import type { LeadSummary } from '@/domain/lead'

type ArrivalState = { seen: ReadonlySet<string>; newest: string; arrivals: readonly LeadSummary[] }

const getNewestTime = (leads: readonly LeadSummary[]) =>
  leads.reduce((newest, { createdAt }) => (createdAt > newest ? createdAt : newest), '')

/** The leads newer than all that the list knew when it was first shown, latest last. */
export function useNewLeads(leads: readonly LeadSummary[] | undefined): readonly LeadSummary[] {
  const [watch, setWatch] = useState<ArrivalState>()
  if (!leads) return []
  if (!watch) {
    setWatch({ seen: new Set(leads.map(({ id }) => id)), newest: getNewestTime(leads), arrivals: [] })
    return []
  }
  const fresh = leads.filter(({ id, createdAt }) => !watch.seen.has(id) && createdAt >= watch.newest)
  if (fresh.length === 0) return watch.arrivals
  const arrivals = [...watch.arrivals, ...fresh.toReversed()]
  setWatch({ seen: new Set([...watch.seen, ...fresh.map(({ id }) => id)]), newest: watch.newest, arrivals })
  return arrivals
}
