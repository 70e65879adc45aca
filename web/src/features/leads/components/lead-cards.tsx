// Phone layout.
import { memo } from 'react'
import { Link } from 'react-router-dom'
import { DEFAULT_LEAD_SOURCE, serviceLabel, type LeadSummary } from '@/domain/lead'
import { classNames } from '@/lib/class-names'
import { formatDate, formatTime } from '@/lib/format/date'
import { formatPhone, telHref } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Icon } from '@/ui/icon'
import { StageBadge } from '@/ui/stage-badge'
import { LeadBadges } from './lead-badges'
import { LeadValue } from './lead-value'

type LeadCardsProps = {
  leads: readonly LeadSummary[]
  label: string
  arrivals: ReadonlySet<string>
  timeZone: string
}

export function LeadCards({ leads, label, arrivals, timeZone }: LeadCardsProps) {
  return (
    <ul aria-label={label} className="grid gap-3">
      {leads.map((lead) => (
        <LeadCard key={lead.id} lead={lead} isArrival={arrivals.has(lead.id)} timeZone={timeZone} />
      ))}
    </ul>
  )
}

/** Preferred contact action of the lead. */
function getContactAction({ phone, phoneE164, email }: LeadSummary) {
  if (phone) return { href: telHref(phoneE164 ?? phone), icon: 'phone', word: t('Call') } as const
  return email ? ({ href: `mailto:${email}`, icon: 'mail', word: t('Email') } as const) : null
}

type LeadCardProps = { lead: LeadSummary; isArrival: boolean; timeZone: string }

/** The whole card opens the lead, but for its one button. Cards out of sight are not laid out. */
const LeadCard = memo(function LeadCard({ lead, isArrival, timeZone }: LeadCardProps) {
  const date = formatDate(lead.createdAt ?? '', timeZone)
  const reach = getContactAction(lead)
  const phone = lead.phone ? formatPhone(lead.phone) : t('No phone')
  return (
    <li
      className={classNames(
        'relative glass-card grid gap-2 p-3 [contain-intrinsic-size:auto_8rem] [content-visibility:auto]',
        isArrival && 'border-primary! glow',
      )}
    >
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-crew wrap-anywhere">
            <Link
              to={paths.leadShort(lead.id)}
              aria-label={t('View Details of {name}', { name: lead.name })}
              className="after:absolute after:inset-0"
            >
              {lead.name}
            </Link>
          </h2>
          <p className="flex flex-wrap gap-x-3 text-note text-muted">
            <span>{serviceLabel(lead.service)}</span>
            {/* Who gave no name is called by the number already. */}
            {phone !== lead.name && <span className="tabular-nums">{phone}</span>}
            <span>{lead.source || DEFAULT_LEAD_SOURCE}</span>
          </p>
        </div>
        <div className="shrink-0 text-right tabular-nums">
          <LeadValue lead={lead} />
          <p className="text-note text-muted">
            {date === '' ? (
              t('N/A')
            ) : (
              <>
                {date}
                <span className="block">{formatTime(lead.createdAt, timeZone)}</span>
              </>
            )}
          </p>
        </div>
      </div>
      <div className="flex items-end justify-between gap-3">
        <span className="flex min-w-0 flex-wrap gap-1.5">
          <StageBadge stage={lead.stage} />
          <LeadBadges lead={lead} isArrival={isArrival} />
        </span>
        {reach && (
          <a
            href={reach.href}
            className="relative z-10 flex min-h-12 shrink-0 items-center gap-2 rounded-field border border-primary/55 px-4 font-semibold"
          >
            <Icon name={reach.icon} className="text-primary" />
            {reach.word}
            <span className="sr-only"> {lead.name}</span>
          </a>
        )}
      </div>
    </li>
  )
})
