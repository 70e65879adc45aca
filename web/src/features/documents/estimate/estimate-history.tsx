import { formatDayTime } from '@/lib/format/zone-time'
import { useNow } from '@/lib/hooks/use-now'
import { formatMoney } from '@/lib/format/money'
import { formatIdentifier } from '@/lib/format/identifier'
import { t } from '@/lib/i18n'
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
    ? { key: 'sent', tone: 'neutral', icon: 'send', text: t('Sent {at}', { at: when(sentAt) }) }
    : { key: 'sent', tone: 'warning', icon: 'send', text: t('Not sent to the customer') }
}

function signedLine({ approval }: EstimateView, when: (at: string) => string): HistoryLine[] {
  if (!approval) return []
  const { name, ip } = approval
  const at = when(approval.at)
  const signed =
    approval.manner === 'drawn'
      ? t('Approved {at} by {name}, signature drawn', { at, name })
      : t('Approved {at} by {name}, signature typed', { at, name })
  const text = ip ? t('{signed}, from {ip}', { signed, ip }) : signed
  return [{ key: 'approved', tone: 'success', icon: 'check-circle', text }]
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
    return [
      {
        key: 'next',
        tone: 'warning',
        icon: 'bell',
        text: t('No reminder: {reason}. Write to them yourself.', { reason: noReminder }),
      },
    ]
  if (next)
    return [{ key: 'next', tone: 'neutral', icon: 'bell', text: t('Next reminder {at}', { at: when(next.dueAt) }) }]
  const stopped = followUps.find(({ state, reason }) => state === 'stopped' && reason)
  return stopped?.reason
    ? [
        {
          key: 'stopped',
          tone: 'neutral',
          icon: 'bell',
          text: t('No more reminders: {reason}', { reason: formatIdentifier(stopped.reason) }),
        },
      ]
    : []
}

function depositLine({ deposit, depositPaid, depositDue, status }: EstimateView, isLeadPaid: boolean): HistoryLine[] {
  if (deposit <= 0) return []
  if (depositPaid >= deposit)
    return [
      {
        key: 'deposit',
        tone: 'success',
        icon: 'dollar',
        text: t('Deposit of {amount} paid', { amount: formatMoney(deposit) }),
      },
    ]
  // Once everything is paid there is nothing to pay ahead.
  if (isLeadPaid) return []
  if (status !== 'approved')
    return [
      {
        key: 'deposit',
        tone: 'neutral',
        icon: 'dollar',
        text: t('Deposit of {amount} due on approval', { amount: formatMoney(deposit) }),
      },
    ]
  // Amounts that were written off or invoiced are not requested.
  if (depositDue <= 0) return []
  const amount = formatMoney(deposit)
  const text =
    depositDue < deposit
      ? t('Deposit of {amount}, {due} of it is due', { amount, due: formatMoney(depositDue) })
      : t('Deposit of {amount} is due', { amount })
  return [{ key: 'deposit', tone: 'warning', icon: 'dollar', text }]
}

function getHistoryLines(estimate: EstimateView, isLeadPaid: boolean, when: (at: string) => string): HistoryLine[] {
  const { viewedAt, declinedAt, declineReason, expiresOn, status } = estimate
  const isOver = status === 'expired'
  return [
    sentLine(estimate, when),
    ...(viewedAt
      ? [
          {
            key: 'viewed',
            tone: 'info',
            icon: 'eye',
            text: t('Opened by the customer {at}', { at: when(viewedAt) }),
          } as const,
        ]
      : []),
    ...signedLine(estimate, when),
    ...(declinedAt
      ? [
          {
            key: 'declined',
            tone: 'error',
            icon: 'close',
            text: declineReason
              ? t('Declined {at}: {reason}', { at: when(declinedAt), reason: declineReason })
              : t('Declined {at}', { at: when(declinedAt) }),
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
            text: isOver
              ? t('Was good until {day}', { day: formatCalendarDay(expiresOn) })
              : t('Good until {day}', { day: formatCalendarDay(expiresOn) }),
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
