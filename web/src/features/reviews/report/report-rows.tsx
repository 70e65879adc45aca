import { Link } from 'react-router-dom'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { formatDate } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Badge } from '@/ui/badge'
import { Table } from '@/ui/table'
import { REQUEST_OUTCOMES } from '../lib/request-text'
import type { ReviewReport, ReviewReportRow } from '../types'

const COLUMNS = [
  { key: 'job', label: t('Job') },
  { key: 'customer', label: t('Customer') },
  { key: 'completed', label: t('Completed') },
  { key: 'outcome', label: t('Outcome') },
  { key: 'reason', label: t('When, or why not') },
] as const

type RowProps = { row: ReviewReportRow; timeZone: string }

export function ReportRows({ report: { rows, jobs }, timeZone }: { report: ReviewReport; timeZone: string }) {
  const isWide = useMediaQuery('(min-width: 64rem)', true)
  return (
    <section aria-label={t('The jobs of this month')} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      {isWide ? (
        <Table caption={t('Finished jobs, oldest first')} columns={COLUMNS} className="glass-card">
          {rows.map((row) => (
            <WideRow key={row.jobId} row={row} timeZone={timeZone} />
          ))}
        </Table>
      ) : (
        <ul aria-label={t('Finished jobs, oldest first')} className="grid gap-3">
          {rows.map((row) => (
            <NarrowRow key={row.jobId} row={row} timeZone={timeZone} />
          ))}
        </ul>
      )}
      {rows.length < jobs && (
        <p className="text-note text-muted">
          {t('The first {count} of {total}. The CSV has all of them.', {
            count: formatCount(rows.length),
            total: formatCount(jobs),
          })}
        </p>
      )}
    </section>
  )
}

function OutcomeBadge({ row: { outcome } }: Pick<RowProps, 'row'>) {
  const { label, tone, icon } = REQUEST_OUTCOMES[outcome]
  return (
    <Badge tone={tone} icon={icon} className="shrink-0 whitespace-nowrap">
      {label}
    </Badge>
  )
}

/** Why not; or when and how they were asked. */
function describeRow({ reason, askedAt, channel }: ReviewReportRow, timeZone: string): string {
  if (!askedAt) return reason ?? ''
  const date = formatDate(askedAt, timeZone)
  return channel ? t('{date}, by {channel}', { date, channel: MESSAGE_CHANNELS[channel].inSentence }) : date
}

function WideRow({ row, timeZone }: RowProps) {
  const { jobId, jobNumber, customerId, customerName, completedAt } = row
  return (
    <tr className="border-primary/15 hover:bg-primary/5">
      <td>
        <Link to={paths.job(jobId)} className="text-link inline-flex min-h-11 items-center">
          #{jobNumber}
        </Link>
      </td>
      <td className="wrap-anywhere">
        <Link to={paths.customer(customerId)} className="text-link inline-flex min-h-11 items-center">
          {customerName}
        </Link>
      </td>
      <td className="whitespace-nowrap">{formatDate(completedAt, timeZone)}</td>
      <td>
        <OutcomeBadge row={row} />
      </td>
      <td className="wrap-anywhere">{describeRow(row, timeZone)}</td>
    </tr>
  )
}

function NarrowRow({ row, timeZone }: RowProps) {
  const { jobId, jobNumber, customerId, customerName, completedAt } = row
  const detail = describeRow(row, timeZone)
  return (
    <li className="glass-card grid gap-2 p-4">
      <div className="flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h3 className="text-crew wrap-anywhere">
            <Link to={paths.customer(customerId)} className="inline-flex min-h-6 items-center hover:underline">
              {customerName}
            </Link>
          </h3>
          <p className="text-note text-muted">
            <Link to={paths.job(jobId)} className="text-link inline-flex min-h-6 items-center tabular-nums">
              {t('Job #{number}', { number: jobNumber })}
            </Link>
            {t(', done {date}', { date: formatDate(completedAt, timeZone) })}
          </p>
        </div>
        <OutcomeBadge row={row} />
      </div>
      {detail && <p className="text-note">{detail}</p>}
    </li>
  )
}
