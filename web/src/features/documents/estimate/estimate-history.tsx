import { formatDayTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { formatMoney } from '@/lib/format/money'
import { formatIdentifier } from '@/lib/format/identifier'
import { StatusLine } from '@/ui/status-line'
import type { Tone } from '@/domain/tone'
import type { IconName } from '@/ui/icon'
import { formatCalendarDay } from '@/lib/format/calendar-day'
import type { EstimateView } from './types'

const MINUTE_MS = 60_000

type HistoryLine = { key: string; tone: Tone; icon: IconName; text: string }

function sentLine({ sentAt, unsent }: EstimateView, when: (at: string) => string): HistoryLine {
  if (unsent) return { key: 'sent', tone: 'warning', icon: 'send', text: unsent }
  return sentAt
    ? { key: 'sent', tone: 'neutral', icon: 'send', text: `Sent ${when(sentAt)}` }
    : { key: 'sent', tone: 'warning', icon: 'send', text: 'Not sent to the customer' }
}

function signedLine({ approval }: EstimateView, when: (at: string) => string): HistoryLine[] {
  if (!approval) return []
  const from = approval.ip ? `, from ${approval.ip}` : ''
  return [
    {
      key: 'approved',
      tone: 'success',
      icon: 'check-circle',
      text: `Approved ${when(approval.at)} by ${approval.name}, signature ${approval.manner}${from}`,
    },
  ]
}

function nextLine(
  { followUps, noReminder, status, sentAt, unsent }: EstimateView,
  when: (at: string) => string,
): HistoryLine[] {
  // The customer is reminded only of what has reached them.
  if (status !== 'open' || !sentAt || unsent) return []
  const next = followUps
    .filter(({ state }) => state === 'waiting')
    .toSorted((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt))[0]
  if (next && noReminder)
    return [{ key: 'next', tone: 'warning', icon: 'bell', text: `No reminder: ${noReminder}. Write to them yourself.` }]
  if (next) return [{ key: 'next', tone: 'neutral', icon: 'bell', text: `Next reminder ${when(next.dueAt)}` }]
  const stopped = followUps.find(({ state, reason }) => state === 'stopped' && reason)
  return stopped?.reason
    ? [
        {
          key: 'stopped',
          tone: 'neutral',
          icon: 'bell',
          text: `No more reminders: ${formatIdentifier(stopped.reason)}`,
        },
      ]
    : []
}

function depositLine({ deposit, depositPaid, depositDue, status }: EstimateView, isLeadPaid: boolean): HistoryLine[] {
  if (deposit <= 0) return []
  if (depositPaid >= deposit)
    return [{ key: 'deposit', tone: 'success', icon: 'dollar', text: `Deposit of ${formatMoney(deposit)} paid` }]
  // Once everything is paid there is nothing to pay ahead.
  if (isLeadPaid) return []
  if (status !== 'approved')
    return [
      { key: 'deposit', tone: 'neutral', icon: 'dollar', text: `Deposit of ${formatMoney(deposit)} due on approval` },
    ]
  // Amounts that were written off or invoiced are not requested.
  if (depositDue <= 0) return []
  const due = depositDue < deposit ? `, ${formatMoney(depositDue)} of it is due` : ' is due'
  return [{ key: 'deposit', tone: 'warning', icon: 'dollar', text: `Deposit of ${formatMoney(deposit)}${due}` }]
}

function getHistoryLines(estimate: EstimateView, isLeadPaid: boolean, when: (at: string) => string): HistoryLine[] {
  const { viewedAt, declinedAt, declineReason, expiresOn, status } = estimate
  const isOver = status === 'expired'
  return [
    sentLine(estimate, when),
    ...(viewedAt
      ? [{ key: 'viewed', tone: 'info', icon: 'eye', text: `Opened by the customer ${when(viewedAt)}` } as const]
      : []),
    ...signedLine(estimate, when),
    ...(declinedAt
      ? [
          {
            key: 'declined',
            tone: 'error',
            icon: 'close',
            text: `Declined ${when(declinedAt)}${declineReason ? `: ${declineReason}` : ''}`,
          } as const,
        ]
      : []),
    ...depositLine(estimate, isLeadPaid),
    ...(expiresOn && (status === 'open' || isOver)
      ? [
          {
            key: 'expires',
            tone: isOver ? 'warning' : 'neutral',
            icon: 'calendar',
            text: `${isOver ? 'Was good' : 'Good'} until ${formatCalendarDay(expiresOn)}`,
          } as const,
        ]
      : []),
    ...nextLine(estimate, when),
  ]
}

export function EstimateHistory({
  estimate,
  isLeadPaid,
  timeZone,
}: {
  estimate: EstimateView
  isLeadPaid: boolean
  timeZone: string
}) {
  const now = useNow(MINUTE_MS)
  return (
    <ul className="mt-2 grid gap-1">
      {getHistoryLines(estimate, isLeadPaid, (at) => formatDayTime(at, timeZone, now)).map(
        ({ key, tone, icon, text }) => (
          <li key={key}>
            <StatusLine tone={tone} icon={icon} plain>
              {text}
            </StatusLine>
          </li>
        ),
      )}
    </ul>
  )
}
