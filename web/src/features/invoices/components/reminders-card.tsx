import type { Schema } from '@/api/client'
import type { Tone } from '@/domain/tone'
import { formatDayTime } from '@/lib/format/zone-time'
import { formatIdentifier } from '@/lib/format/identifier'
import { useNow } from '@/lib/hooks/use-now'
import { plural, t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import type { IconName } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'
import type { InvoiceView } from '../types'

const MINUTE_MS = 60_000

type FollowUp = Schema['FollowUp']

const STATES = {
  waiting: { tone: 'info', icon: 'clock', word: '' },
  done: { tone: 'success', icon: 'check', word: t('sent') },
  stopped: { tone: 'neutral', icon: 'close', word: t('stopped') },
  skipped: { tone: 'neutral', icon: 'close', word: t('left out') },
} as const satisfies Record<FollowUp['state'], { tone: Tone; icon: IconName; word: string }>

/** Why none is planned. */
function noRemindersText({ status, isReminded }: InvoiceView): string {
  if (status === 'draft') return t('They are planned when it is sent.')
  if (status === 'paid' || status === 'void') return t('None: nothing is due.')
  return isReminded ? t('None is left.') : t('Off for this invoice. They are turned on under Invoices, Reminders.')
}

export function RemindersCard({ invoice, timeZone }: { invoice: InvoiceView; timeZone: string }) {
  const now = useNow(MINUTE_MS)
  const steps = invoice.followUps.toSorted((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt))
  // A payment promise or a dispute plans again: older plans come last.
  const [counting, over] = [
    steps.filter(({ state }) => ACTIVE_STATES.has(state)),
    steps.filter(({ state }) => !ACTIVE_STATES.has(state)),
  ]
  const list = (some: readonly FollowUp[]) => (
    <ul className="grid gap-1.5">
      {some.map((step) => (
        <FollowUpRow key={`${step.step} ${step.dueAt} ${step.state}`} step={step} timeZone={timeZone} now={now} />
      ))}
    </ul>
  )
  return (
    <Card title={t('Reminders')} icon="bell">
      <div className="grid gap-2">
        {counting.length === 0 ? <p className="text-muted">{noRemindersText(invoice)}</p> : list(counting)}
        {over.length > 0 && (
          <Disclosure summary={plural(over.length, 'One that did not go out', '{count} that did not go out')}>
            {list(over)}
          </Disclosure>
        )}
      </div>
    </Card>
  )
}

/** What waits, and what went out. */
const ACTIVE_STATES: ReadonlySet<FollowUp['state']> = new Set(['waiting', 'done'])

/** `due_-3` is three days before it is due. */
function formatStepTime(step: string): string {
  const card = /^card_(\d+)$/.exec(step)?.[1]
  if (card) return t('card refused, day {day}', { day: card })
  const days = Number(/^due_(-?\d+)$/.exec(step)?.[1] ?? Number.NaN)
  if (Number.isNaN(days)) return ''
  if (days === 0) return t('the day it is due')
  return days < 0
    ? plural(-days, '{count} day before it is due', '{count} days before it is due')
    : plural(days, '{count} day late', '{count} days late')
}

/** What was decided and has not left is not called sent. */
const UNSENT_DISPLAY = { tone: 'warning', icon: 'clock' } as const

function FollowUpRow({
  step: { step, dueAt, state, reason, unsent },
  timeZone,
  now,
}: {
  step: FollowUp
  timeZone: string
  now: number
}) {
  const { tone, icon, word } =
    state === 'done' && unsent
      ? { ...UNSENT_DISPLAY, word: unsent.charAt(0).toLowerCase() + unsent.slice(1) }
      : STATES[state]
  const why = [word, reason ? formatIdentifier(reason).toLowerCase() : ''].filter((part) => part !== '').join(': ')
  const more = [formatStepTime(step), why].filter((part) => part !== '').join(', ')
  return (
    <li>
      <StatusLine tone={tone} icon={icon} plain>
        {formatDayTime(dueAt, timeZone, now)}
        {more && `, ${more}`}
      </StatusLine>
    </li>
  )
}
