// Differences between the books and Stripe, open and settled.
import { useId, useState } from 'react'
import { Link } from 'react-router-dom'
import type { Schema } from '@/api/client'
import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Button } from '@/ui/button'
import { Disclosure } from '@/ui/disclosure'
import { ignoreFailure } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { useReopenDifference } from './queries'
import { SettleDifferenceDialog } from './settle-difference-dialog'

type MoneyDifference = Schema['MoneyDifference']
type SettledDifference = Schema['SettledDifference']

type OpenDifferencesProps = {
  differences: MoneyDifference[]
  timeZone: string
  /** After a settlement, which takes the pressed button away. */
  onSettled: () => void
}

export function OpenDifferences({ differences, timeZone, onSettled }: OpenDifferencesProps) {
  const id = useId()
  const [settling, setSettling] = useState<MoneyDifference>()
  return (
    <>
      <ul aria-label={t('Differences')} className="grid gap-2">
        {differences.map((difference, index) => (
          <li key={difference.key}>
            <Notice tone="warning" title={t('Found {date}', { date: formatDateTime(difference.foundAt, timeZone) })}>
              <p id={`${id}-${index}`} className="wrap-anywhere">
                {difference.text}
              </p>
              <div className="flex flex-wrap items-center gap-4">
                {difference.leadId && <RequestLink leadId={difference.leadId} />}
                <Button variant="ghost" aria-describedby={`${id}-${index}`} onClick={() => setSettling(difference)}>
                  {t('Mark as settled')}
                </Button>
              </div>
            </Notice>
          </li>
        ))}
      </ul>
      {settling && (
        <SettleDifferenceDialog difference={settling} onClose={() => setSettling(undefined)} onSettled={onSettled} />
      )}
    </>
  )
}

type SettledDifferencesProps = {
  differences: SettledDifference[]
  timeZone: string
  /** After an undo, which takes the pressed button away. */
  onReopened: () => void
}

export function SettledDifferences({ differences, timeZone, onReopened }: SettledDifferencesProps) {
  const id = useId()
  const reopen = useReopenDifference()
  const undo = async (key: string) => {
    await reopen.mutateAsync(key)
    onReopened()
  }
  return (
    <Disclosure summary={t('Settled differences ({count})', { count: differences.length })}>
      <ul aria-label={t('Settled differences')} className="grid gap-4 pt-3">
        {differences.map(({ key, text, leadId, note, settledAt, settledBy }, index) => (
          <li key={key} className="grid gap-1">
            <p className="text-note text-muted">
              {t('Settled {date} by {name}', { date: formatDateTime(settledAt, timeZone), name: settledBy })}
            </p>
            <p id={`${id}-${index}`} className="wrap-anywhere">
              {text}
            </p>
            {note && <p className="wrap-anywhere">{t('Note: {note}', { note })}</p>}
            <div className="flex flex-wrap items-center gap-4">
              {leadId && <RequestLink leadId={leadId} />}
              <Button
                variant="ghost"
                aria-describedby={`${id}-${index}`}
                pending={reopen.isPending && reopen.variables === key}
                onClick={() => {
                  undo(key).catch(ignoreFailure)
                }}
              >
                {t('Undo')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Disclosure>
  )
}

function RequestLink({ leadId }: { leadId: string }) {
  return (
    <Link to={paths.lead(leadId)} className="text-link inline-flex min-h-11 items-center">
      {t('Open the request')}
    </Link>
  )
}
