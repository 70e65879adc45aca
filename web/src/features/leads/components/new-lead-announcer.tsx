// Live region for new leads.
import { serviceLabel, type LeadSummary } from '@/domain/lead'
import { t } from '@/lib/i18n'

export function NewLeadAnnouncer({ arrivals }: { arrivals: readonly LeadSummary[] }) {
  const latest = arrivals.at(-1)
  return (
    <p aria-live="polite" aria-atomic="true" className="sr-only">
      {latest && t('New lead: {name}, {service}', { name: latest.name, service: serviceLabel(latest.service) })}
    </p>
  )
}
