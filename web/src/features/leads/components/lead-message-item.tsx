import type { Schema } from '@/api/client'
import { MESSAGE_CHANNELS, MESSAGE_KINDS, MESSAGE_STATUSES } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { formatPhone } from '@/lib/format/phone'
import { describeBlock } from '@/features/own-phone/send-blocks'
import { useSendBlocks } from '@/features/own-phone/use-send-blocks'
import { plural, t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Disclosure } from '@/ui/disclosure'
import { Icon } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'
import { useResend } from '@/ui/use-resend'
import { useResendLeadMessage } from '../mutations'

type Message = Schema['Message']

export function LeadMessageItem({ leadId, message, timeZone }: { leadId: string; message: Message; timeZone: string }) {
  const blocks = useSendBlocks()
  const { inSentence, icon } = MESSAGE_CHANNELS[message.channel]
  const state = MESSAGE_STATUSES[message.status]
  const to = message.channel === 'sms' ? formatPhone(message.to) : message.to
  return (
    <li className="rounded-field border border-primary/22 p-3 sm:p-4">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1">
        <p className="flex min-w-0 gap-2">
          <Icon name={icon} className="mt-0.5 text-primary" />
          <span className="min-w-0">
            <span className="font-semibold">{MESSAGE_KINDS[message.kind]}</span>{' '}
            {t('by {channel}', { channel: inSentence })}
            <span className="block text-note text-muted">
              <BreakableAddress>{t('to {address}', { address: to })}</BreakableAddress>
            </span>
          </span>
        </p>
        <p className="text-note text-muted tabular-nums">
          {formatDateTime(message.deliveredAt ?? message.sentAt ?? message.createdAt, timeZone)}
        </p>
      </div>
      <StatusLine tone={state.tone} icon={state.icon} className="mt-2">
        {describeBlock(message, blocks) ?? message.statusText}
      </StatusLine>
      {message.nextAttemptAt && message.status === 'queued' && message.attempts > 0 && (
        <p className="mt-1 text-note text-muted">
          {plural(message.attempts, 'Tried {count} time, next try {time}', 'Tried {count} times, next try {time}', {
            time: formatDateTime(message.nextAttemptAt, timeZone),
          })}
        </p>
      )}
      <Disclosure summary={t('Show the message')}>
        <div className="max-w-[68ch] rounded-field bg-base-200 p-3 text-note">
          {message.subject && <p className="mb-2 font-semibold wrap-anywhere">{message.subject}</p>}
          <p className="wrap-anywhere whitespace-pre-line">{message.body}</p>
        </div>
      </Disclosure>
      {message.retryable && <ResendButton leadId={leadId} message={message} to={to} />}
    </li>
  )
}

function ResendButton({ leadId, message, to }: { leadId: string; message: Message; to: string }) {
  const retry = useResendLeadMessage(leadId)
  const { press, dialog } = useResend({ ...message, to }, retry.mutate)
  return (
    <>
      <Button
        variant="secondary"
        icon="refresh"
        className="mt-3"
        pending={retry.isPending}
        pendingText={t('Sending...')}
        onClick={press}
      >
        {t('Send again')}
      </Button>
      {dialog}
    </>
  )
}
