// Live region for new leads.
import { serviceLabel, type LeadSummary } from '@/domain/lead'

export function NewLeadAnnouncer({ arrivals }: { arrivals: readonly LeadSummary[] }) {
  const latest = arrivals.at(-1)
  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {latest && `New lead: ${latest.name}, ${serviceLabel(latest.service)}`}
    </p>
  )
}
