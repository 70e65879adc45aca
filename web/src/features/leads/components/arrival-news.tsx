// Says a new lead aloud, once, without taking the word from anybody.
import { serviceLabel } from '@/domain/lead'
import type { LeadSummary } from '../queries'

export function ArrivalNews({ arrivals }: { arrivals: readonly LeadSummary[] }) {
  const latest = arrivals.at(-1)
  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {latest && `New lead: ${latest.name}, ${serviceLabel(latest.service)}`}
    </p>
  )
}
