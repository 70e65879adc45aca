// Desktop layout.
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
import { Table } from '@/ui/table'
import { LeadBadges } from './lead-badges'
import { LeadValue } from './lead-value'

const COLUMNS = [
  { key: 'name', label: t('Name') },
  { key: 'phone', label: t('Phone') },
  { key: 'service', label: t('Service') },
  { key: 'stage', label: t('Stage') },
  { key: 'value', label: t('Value'), numeric: true },
  { key: 'date', label: t('Date') },
  { key: 'source', label: t('Source') },
  { key: 'details', label: t('Details'), hiddenLabel: true },
] as const

type LeadTableProps = {
  leads: readonly LeadSummary[]
  label: string
  arrivals: ReadonlySet<string>
  timeZone: string
}

export function LeadTable({ leads, label, arrivals, timeZone }: LeadTableProps) {
  return (
    <Table caption={label} columns={COLUMNS} className="glass-card">
      {leads.map((lead) => (
        <LeadRow key={lead.id} lead={lead} isArrival={arrivals.has(lead.id)} timeZone={timeZone} />
      ))}
    </Table>
  )
}

type LeadRowProps = { lead: LeadSummary; isArrival: boolean; timeZone: string }

/** Drawn once for as long as the lead stays as it is: a list may have a thousand. */
const LeadRow = memo(function LeadRow({ lead, isArrival, timeZone }: LeadRowProps) {
  const date = formatDate(lead.createdAt ?? '', timeZone)
  return (
    <tr className={classNames('border-primary/15', isArrival ? 'bg-primary/8' : 'hover:bg-primary/5')}>
      <td className="py-2.5">
        <span className="grid gap-1.5">
          <span className="font-semibold">{lead.name}</span>
          <LeadBadges lead={lead} isArrival={isArrival} />
        </span>
      </td>
      <td className="whitespace-nowrap">
        {lead.phone ? (
          <a
            href={telHref(lead.phoneE164 ?? lead.phone)}
            className="inline-flex min-h-11 items-center hover:text-primary"
          >
            {formatPhone(lead.phone)}
          </a>
        ) : (
          <span className="text-muted">{t('Not provided')}</span>
        )}
      </td>
      <td>{serviceLabel(lead.service)}</td>
      <td>
        <StageBadge stage={lead.stage} />
      </td>
      <td className="text-right whitespace-nowrap">
        <LeadValue lead={lead} />
      </td>
      <td className="whitespace-nowrap">
        {date === '' ? (
          t('N/A')
        ) : (
          <>
            {date}
            <span className="block text-caption text-muted">{formatTime(lead.createdAt, timeZone)}</span>
          </>
        )}
      </td>
      <td>{lead.source || DEFAULT_LEAD_SOURCE}</td>
      <td className="text-right">
        <Link
          to={paths.leadShort(lead.id)}
          className="text-link inline-flex min-h-11 items-center gap-1.5 whitespace-nowrap"
        >
          {t('View Details')}
          <span className="sr-only"> {t('of {name}', { name: lead.name })}</span>
          <Icon name="arrow-right" className="size-4" />
        </Link>
      </td>
    </tr>
  )
})
