// Opt-in of old invoices to reminders, with a preview.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDateTime } from '@/lib/format/date'
import { formatCents } from '@/lib/format/money'
import { useCurrentUser } from '@/features/session/use-session'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Disclosure } from '@/ui/disclosure'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { formatOverdue } from '../lib/due-date-text'
import { invoicesMessages } from '../messages'
import { useEnableReminders } from '../mutations'
import { invoiceQueries } from '../queries'
import type { ReminderCandidate } from '../types'

export function EnableRemindersDialog({ onClose }: { onClose: () => void }) {
  const { orgId, orgTimezone } = useCurrentUser()
  const old = useQuery(invoiceQueries.unreminded(orgId))
  return (
    <Dialog open onClose={onClose} title={t('Remind of open invoices')} wide>
      <QueryBoundary
        query={old}
        skeleton={<SkeletonLines lines={5} />}
        errorText={invoicesMessages.remindersFailed}
        timeZone={orgTimezone}
        isEmpty={(list) => list.length === 0}
        empty={<p className="text-muted">{t('Every open invoice is reminded of already, or none is open.')}</p>}
      >
        {(list) => <ReminderChoices list={list} timeZone={orgTimezone} onClose={onClose} />}
      </QueryBoundary>
    </Dialog>
  )
}

function ReminderChoices({
  list,
  timeZone,
  onClose,
}: {
  list: readonly ReminderCandidate[]
  timeZone: string
  onClose: () => void
}) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const plan = useEnableReminders()
  const toggle = (id: string) => {
    const next = new Set(ticked)
    if (!next.delete(id)) next.add(id)
    setTicked(next)
  }
  return (
    <div className="grid gap-4">
      <p>{t('These invoices are open and have no reminders. Tick those that should; the others stay as they are.')}</p>
      <ul aria-label={t('Open invoices without reminders')} className="grid gap-3">
        {list.map((invoice) => (
          <ReminderChoice
            key={invoice.invoiceId}
            invoice={invoice}
            timeZone={timeZone}
            isTicked={ticked.has(invoice.invoiceId)}
            onToggle={() => toggle(invoice.invoiceId)}
          />
        ))}
      </ul>
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onClose}>
          {t('Close')}
        </Button>
        <Button
          icon="bell"
          disabled={ticked.size === 0}
          pending={plan.isPending}
          pendingText={t('Planning...')}
          onClick={() => plan.mutate([...ticked], { onSuccess: onClose })}
        >
          {ticked.size === 0
            ? t('Nothing ticked')
            : plural(ticked.size, 'Remind of one invoice', 'Remind of {count} invoices')}
        </Button>
      </div>
    </div>
  )
}

type ChoiceProps = { invoice: ReminderCandidate; timeZone: string; isTicked: boolean; onToggle: () => void }

function ReminderChoice({
  invoice: { number, customer, balance, daysOverdue, dates, text, cannot },
  timeZone,
  isTicked,
  onToggle,
}: ChoiceProps) {
  return (
    <li className="rounded-field border border-primary/22 p-3 has-[label>input:checked]:border-primary has-[label>input:checked]:bg-primary/8">
      <label className="flex min-h-11 cursor-pointer items-start gap-3">
        <input
          type="checkbox"
          className="checkbox checkbox-primary mt-0.5"
          aria-label={`${number}, ${customer}`}
          checked={isTicked}
          onChange={onToggle}
        />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-baseline justify-between gap-x-3 font-semibold">
            <span className="wrap-anywhere">{customer}</span>
            <span className="tabular-nums">{formatCents(balance)}</span>
          </span>
          <span className="block text-note text-muted">
            {number}
            {daysOverdue > 0 && `, ${formatOverdue(daysOverdue)}`}
          </span>
        </span>
      </label>
      {cannot && <p className="text-note text-warning">{t('Nothing would leave: {reason}.', { reason: cannot })}</p>}
      {!cannot && dates.length === 0 && <p className="text-note text-muted">{t('Nothing would leave.')}</p>}
      {dates.length > 0 && (
        <p className="text-note">
          {t('Would go out {dates}', { dates: dates.map((at) => formatDateTime(at, timeZone)).join('; ') })}
        </p>
      )}
      {text && (
        <Disclosure summary={t('What it would say')}>
          <p className="pb-3 text-note wrap-anywhere whitespace-pre-line text-muted">{text}</p>
        </Disclosure>
      )}
    </li>
  )
}
