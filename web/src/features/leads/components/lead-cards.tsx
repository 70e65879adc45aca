// Phone layout.
import { Link } from 'react-router-dom'
import { DEFAULT_LEAD_SOURCE, serviceLabel, type LeadSummary } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatDate, formatTime } from '@/lib/format/date'
import { formatPhone, telHref } from '@/lib/format/phone'
import { paths } from '@/lib/paths'
import { Icon } from '@/ui/icon'
import { LeadBadges } from './lead-badges'

const ACTION =
  'flex min-h-12 flex-1 basis-0 items-center justify-center gap-2 rounded-field border px-2 font-semibold whitespace-nowrap'

type LeadCardsProps = { leads: readonly LeadSummary[]; arrivals: ReadonlySet<string>; timeZone: string }

export function LeadCards({ leads, arrivals, timeZone }: LeadCardsProps) {
  return (
    <ul aria-label="Leads, newest first" className="grid gap-3">
      {leads.map((lead) => (
        <LeadCard key={lead.id} lead={lead} isArrival={arrivals.has(lead.id)} timeZone={timeZone} />
      ))}
    </ul>
  )
}

/** Preferred contact action of the lead. */
function getContactAction({ phone, phoneE164, email }: LeadSummary) {
  if (phone) return { href: telHref(phoneE164 ?? phone), icon: 'phone', word: 'Call' } as const
  return email ? ({ href: `mailto:${email}`, icon: 'mail', word: 'Email' } as const) : null
}

function LeadCard({ lead, isArrival, timeZone }: { lead: LeadSummary; isArrival: boolean; timeZone: string }) {
  const date = formatDate(lead.createdAt ?? '', timeZone)
  const reach = getContactAction(lead)
  const phone = lead.phone ? formatPhone(lead.phone) : 'No phone'
  return (
    <li className={classNames('glass-card grid gap-3 p-4', isArrival && 'border-primary! glow')}>
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew wrap-anywhere">{lead.name}</h2>
          <p className="text-muted">{serviceLabel(lead.service)}</p>
        </div>
        <p className="shrink-0 text-right text-note text-muted tabular-nums">
          {date === '' ? (
            'N/A'
          ) : (
            <>
              {date}
              <span className="block">{formatTime(lead.createdAt, timeZone)}</span>
            </>
          )}
        </p>
      </div>
      <LeadBadges lead={lead} isArrival={isArrival} />
      <p className="flex flex-wrap justify-between gap-x-3 text-note text-muted">
        {/* Who gave no name is called by the number already. */}
        {phone !== lead.name && <span className="tabular-nums">{phone}</span>}
        <span>Source: {lead.source || DEFAULT_LEAD_SOURCE}</span>
      </p>
      <div className="flex gap-2">
        {reach && (
          <a href={reach.href} className={classNames(ACTION, 'border-primary/55')}>
            <Icon name={reach.icon} className="text-primary" />
            {reach.word}
            <span className="sr-only"> {lead.name}</span>
          </a>
        )}
        <Link to={paths.leadShort(lead.id)} className={classNames(ACTION, 'border-primary/30 text-primary')}>
          View Details<span className="sr-only"> of {lead.name}</span>
        </Link>
      </div>
    </li>
  )
}
