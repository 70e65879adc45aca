// Retention periods, with a preview of deletions and a day to undo.
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { ExportDataButton } from '@/features/session/export-data-button'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import {
  getPeriodOptions,
  type RetentionKind,
  type RetentionRun,
  type RetentionPeriod,
  retentionPreviewQuery,
  retentionQuery,
  formatPeriod,
  useSetRetention,
  useUndoRetention,
} from './retention'

const FAILED = {
  title: t('Retention periods could not be loaded'),
  description: t('Nothing was changed. Please try again.'),
} as const

/** How it is called, and what counts. */
const RETENTION_KINDS = {
  photos: [
    t('Photos'),
    t('Of requests and jobs, counted from the end of the work. Photos of running jobs and unpaid invoices stay.'),
  ],
  requests: [
    t('Requests without work'),
    t(
      'People who asked and for whom nothing was ever estimated, done or billed, with all that is known of them. Also the numbers of calls that led to no customer.',
    ),
  ],
  contacts: [
    t('Customers without a request'),
    t(
      'People you imported or added yourself who never asked for work, with all that is known of them. Counted from the last change of their record, or the last text, email or call.',
    ),
  ],
  messages: [
    t('Words of texts and emails'),
    t('When, to whom and how they ended stays. Texts that said STOP keep their words as proof.'),
  ],
  traces: [t('Network address and browser of consents'), t('The consent itself, its words and its time stay.')],
} as const satisfies Record<RetentionKind, readonly [string, string]>

/** What of each a night has deleted. */
const REMOVED: Record<RetentionKind, (count: string) => string> = {
  photos: (count) => t('{count} photos', { count }),
  requests: (count) => t('{count} people', { count }),
  contacts: (count) => t('{count} customers without a request', { count }),
  messages: (count) => t('{count} messages', { count }),
  traces: (count) => t('{count} consents', { count }),
}

/** What of each a shorter period deletes. */
const TO_REMOVE: Record<RetentionKind, (count: string) => string> = {
  photos: (count) => t('{count} photos will be deleted in the first night after tomorrow at this time.', { count }),
  requests: (count) => t('{count} people will be deleted in the first night after tomorrow at this time.', { count }),
  contacts: (count) =>
    t('{count} customers without a request will be deleted in the first night after tomorrow at this time.', { count }),
  messages: (count) => t('{count} messages will be deleted in the first night after tomorrow at this time.', { count }),
  traces: (count) => t('{count} consents will be deleted in the first night after tomorrow at this time.', { count }),
}

const KINDS = ['photos', 'requests', 'contacts', 'messages', 'traces'] as const satisfies readonly RetentionKind[]

const FIXED_PERIODS = [
  [t('Estimates, invoices, payments, opt-outs, consents'), t('Kept: bookkeeping and proof')],
  [t('Audit log'), t('Kept whole: its lines hold ids')],
  [
    t('Calls'),
    t('Nothing is recorded; number and time are kept with the customer. Other numbers go with requests without work'),
  ],
  [t('Deleted files'), t('A day')],
  [t('Safety copies'), t('As set by the person who runs your Toolbox')],
] as const

export function RetentionCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const retention = useQuery(retentionQuery(orgId))
  return (
    <Card title={t('How long data is kept')} icon="trash">
      <QueryBoundary query={retention} skeleton={<SkeletonLines lines={6} />} errorText={FAILED} timeZone={orgTimezone}>
        {({ periods, nights }) => (
          <div className="grid gap-4">
            <p className="text-note text-muted">
              {t('Older data is deleted by night. A shorter period holds a day later; until then you can undo it.')}
            </p>
            <ul className="divide-y divide-primary/22">
              {periods.map((period) => (
                <PeriodRow key={period.kind} period={period} timeZone={orgTimezone} />
              ))}
            </ul>
            <dl className="grid gap-2 text-note">
              {FIXED_PERIODS.map(([what, how]) => (
                <div key={what}>
                  <dt className="font-semibold">{what}</dt>
                  <dd className="text-muted">{how}</dd>
                </div>
              ))}
            </dl>
            <LastRun nights={nights} timeZone={orgTimezone} />
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

function LastRun({ nights, timeZone }: { nights: readonly RetentionRun[]; timeZone: string }) {
  const [last] = nights
  if (!last) return <p className="text-note text-muted">{t('No night has looked for old data yet.')}</p>
  const date = formatDateTime(last.startedAt, timeZone)
  const removed = KINDS.filter((kind) => last[kind] > 0)
    .map((kind) => REMOVED[kind](formatCount(last[kind])))
    .join(', ')
  return (
    <p className="text-note text-muted">
      {removed === ''
        ? t('Last night, {date}: nothing was old enough.', { date })
        : t('Last night, {date}: {removed}.', { date, removed })}
      {last.finishedAt ? '' : ` ${t('It is still at it.')}`}
    </p>
  )
}

function PeriodRow({ period, timeZone }: { period: RetentionPeriod; timeZone: string }) {
  const { kind, days, change } = period
  const [title, hint] = RETENTION_KINDS[kind]
  const id = useId()
  const [wanted, setWanted] = useState<number>()
  const set = useSetRetention()
  const undo = useUndoRetention()
  const choose = (next: number) => {
    if (next < days) setWanted(next)
    else if (next > days || change) set.mutate({ kind, days: next })
  }
  return (
    <li className="grid gap-2 py-3 first:pt-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label htmlFor={id} className="font-semibold">
          {title}
        </label>
        <select
          id={id}
          className="select w-auto! min-w-32"
          value={days}
          disabled={set.isPending}
          onChange={({ target }) => choose(Number(target.value))}
        >
          {getPeriodOptions(period).map((choice) => (
            <option key={choice} value={choice}>
              {formatPeriod(choice)}
            </option>
          ))}
        </select>
      </div>
      <p className="text-note text-muted">{hint}</p>
      {change && (
        <Notice
          tone="warning"
          title={t('From {date} on: {period}', {
            date: formatDateTime(change.effectiveAt, timeZone),
            period: formatPeriod(change.days),
          })}
        >
          <p>{t('What is older is deleted in the first night after that.')}</p>
          <Button
            variant="secondary"
            className="mt-2"
            icon="refresh"
            pending={undo.isPending}
            onClick={() => undo.mutate(kind)}
          >
            {t('Undo')}
          </Button>
        </Notice>
      )}
      {wanted !== undefined && (
        <ShorterPeriodDialog period={period} days={wanted} onClose={() => setWanted(undefined)} />
      )}
    </li>
  )
}

/** Asks before a shorter period is set, with how many it deletes. */
function ShorterPeriodDialog({
  period: { kind },
  days,
  onClose,
}: {
  period: RetentionPeriod
  days: number
  onClose: () => void
}) {
  const { orgId, orgTimezone } = useCurrentUser()
  const preview = useQuery(retentionPreviewQuery(orgId, kind, days))
  const set = useSetRetention()
  const [title] = RETENTION_KINDS[kind]
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('{title}: keep {period}?', { title, period: formatPeriod(days) })}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep as it is')}
          </Button>
          <Button
            variant="danger"
            disabled={!preview.data}
            pending={set.isPending}
            onClick={() => set.mutate({ kind, days }, { onSuccess: onClose })}
          >
            {t('Keep {period}', { period: formatPeriod(days) })}
          </Button>
        </>
      }
    >
      <QueryBoundary query={preview} skeleton={<SkeletonLines lines={2} />} errorText={FAILED} timeZone={orgTimezone}>
        {({ count }) => (
          <div className="grid gap-3">
            <p className="font-semibold">
              {count === 0 ? t('Nothing is that old now.') : TO_REMOVE[kind](formatCount(count))}
            </p>
            <p>{t('You have a day to undo it. Once deleted, they cannot be brought back. Take a copy first:')}</p>
            <ExportDataButton />
          </div>
        )}
      </QueryBoundary>
    </Dialog>
  )
}
