// Retention periods, with a preview of deletions and a day to undo.
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { ExportDataButton } from '@/features/session/export-data-button'
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
  title: 'Retention periods could not be loaded',
  description: 'Nothing was changed. Please try again.',
} as const

/** How it is called, what counts, and what of it is deleted. */
const RETENTION_KINDS = {
  photos: [
    'Photos',
    'Of requests and jobs, counted from the end of the work. Photos of running jobs and unpaid invoices stay.',
    'photos',
  ],
  requests: [
    'Requests without work',
    'People who asked and for whom nothing was ever estimated, done or billed, with all that is known of them. Also the numbers of calls that led to no customer.',
    'people',
  ],
  contacts: [
    'Customers without a request',
    'People you imported or added by hand who never asked for work, with all that is known of them. Counted from the last change of their record, or the last text, email or call.',
    'people',
  ],
  messages: [
    'Words of texts and emails',
    'When, to whom and how they ended stays. Texts that said STOP keep their words as proof.',
    'messages',
  ],
  traces: ['Network address and browser of consents', 'The consent itself, its words and its time stay.', 'consents'],
} as const satisfies Record<RetentionKind, readonly [string, string, string]>

const FIXED_PERIODS = [
  ['Estimates, invoices, payments, opt-outs, consents', 'Kept: bookkeeping and proof'],
  ['Audit log', 'Kept whole: its lines hold ids'],
  [
    'Calls',
    'Nothing is recorded; number and time are kept with the customer. Other numbers go with requests without work',
  ],
  ['Deleted files', 'A day'],
  ['Safety copies', 'As set by the person who runs your Toolbox'],
] as const

export function RetentionCard() {
  const { orgId, orgTimezone } = useCurrentUser()
  const retention = useQuery(retentionQuery(orgId))
  return (
    <Card title="How long data is kept" icon="trash">
      <QueryBoundary query={retention} skeleton={<SkeletonLines lines={6} />} errorText={FAILED} timeZone={orgTimezone}>
        {({ periods, nights }) => (
          <div className="grid gap-4">
            <p className="text-note text-muted">
              Older data is deleted by night. A shorter period holds a day later; until then you can undo it.
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
  if (!last) return <p className="text-note text-muted">No night has looked for old data yet.</p>
  const removed = [
    [last.photos, 'photos'],
    [last.requests, 'people'],
    [last.contacts, 'customers without a request'],
    [last.messages, 'messages'],
    [last.traces, 'consents'],
  ] as const
  const parts = removed.filter(([count]) => count > 0).map(([count, what]) => `${formatCount(count)} ${what}`)
  return (
    <p className="text-note text-muted">
      Last night, {formatDateTime(last.startedAt, timeZone)}:{' '}
      {parts.length > 0 ? parts.join(', ') : 'nothing was old enough'}.{last.finishedAt ? '' : ' It is still at it.'}
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
          title={`From ${formatDateTime(change.effectiveAt, timeZone)} on: ${formatPeriod(change.days)}`}
        >
          <p>What is older is deleted in the first night after that.</p>
          <Button
            variant="secondary"
            className="mt-2"
            icon="refresh"
            pending={undo.isPending}
            onClick={() => undo.mutate(kind)}
          >
            Undo
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
  const [title, , what] = RETENTION_KINDS[kind]
  return (
    <Dialog
      open
      onClose={onClose}
      title={`${title}: keep ${formatPeriod(days)}?`}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Keep as it is
          </Button>
          <Button
            variant="danger"
            disabled={!preview.data}
            pending={set.isPending}
            onClick={() => set.mutate({ kind, days }, { onSuccess: onClose })}
          >
            Keep {formatPeriod(days)}
          </Button>
        </>
      }
    >
      <QueryBoundary query={preview} skeleton={<SkeletonLines lines={2} />} errorText={FAILED} timeZone={orgTimezone}>
        {({ count }) => (
          <div className="grid gap-3">
            <p className="font-semibold">
              {count === 0
                ? 'Nothing is that old now.'
                : `${formatCount(count)} ${what} will be deleted in the first night after tomorrow at this time.`}
            </p>
            <p>You have a day to undo it. Once deleted, they cannot be brought back. Take a copy first:</p>
            <ExportDataButton />
          </div>
        )}
      </QueryBoundary>
    </Dialog>
  )
}
