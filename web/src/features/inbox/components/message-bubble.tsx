import { lazy, Suspense, useState } from 'react'
import { MESSAGE_KINDS } from '@/domain/message'
import { classNames } from '@/lib/class-names'
import { formatTime } from '@/lib/format/date'
import { formatPhone } from '@/lib/format/phone'
import { formatDayTimeInSentence } from '@/lib/format/zone-time'
import { useOnline } from '@/lib/hooks/use-online'
import { useSendBlocks } from '@/features/own-phone/use-send-blocks'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Disclosure } from '@/ui/disclosure'
import { Icon } from '@/ui/icon'
import { PhotoGallery } from '@/ui/photo-gallery'
import type { Tone } from '@/domain/tone'
import { describeMessageState } from '../lib/message-state'
import type { Message, MessageItem } from '../types'
import { BubbleActions } from './bubble-actions'

const TONE_CLASSES = {
  neutral: 'text-muted',
  info: 'text-info',
  accent: 'text-accent',
  warning: 'text-warning',
  secondary: 'text-secondary',
  success: 'text-success',
  error: 'text-error',
} as const satisfies Record<Tone, string>

const MUTED_STATUSES = new Set(['not_sent', 'failed', 'held'])

/** Needs a connection. */
const DecisionSheet = lazy(async () => ({ default: (await import('./decision-sheet')).DecisionSheet }))

type MessageBubbleProps = {
  item: MessageItem
  customerId: string
  isStopped: boolean
  smsLink: string | null
  /** When these words were sent from a member's own phone. */ textedAt: string | null
  onFile: string | null
  timeZone: string
  now: number
  onByHand: (body: string) => void
}

export function MessageBubble({
  item: { message, photos },
  customerId,
  isStopped,
  smsLink,
  textedAt,
  onFile,
  timeZone,
  now,
  onByHand,
}: MessageBubbleProps) {
  const isOut = message.direction === 'out'
  return (
    <li className={classNames('flex flex-col gap-0.5', isOut ? 'items-end' : 'items-start')}>
      <div
        className={classNames(
          'w-fit max-w-[88%] rounded-box border px-3 py-2 sm:max-w-[75%]',
          isOut ? 'rounded-br-sm border-primary/40 bg-primary/10' : 'rounded-bl-sm border-base-content/12 bg-base-300',
          MUTED_STATUSES.has(message.status) && 'border-dashed',
        )}
      >
        <p className="sr-only">{isOut ? t('We wrote:') : t('They wrote:')}</p>
        {photos.length > 0 && <PhotoGallery photos={photos} layout="row" />}
        {message.channel === 'email' ? (
          <EmailBody message={message} />
        ) : (
          <p className="wrap-anywhere whitespace-pre-line">{message.body}</p>
        )}
      </div>
      {isOut && message.to !== onFile && <SentElsewhere message={message} />}
      {isOut ? (
        <OutboundStatus message={message} timeZone={timeZone} now={now} />
      ) : (
        <InboundStatus message={message} timeZone={timeZone} />
      )}
      {textedAt && (
        <p className="px-1 pb-1 text-caption text-muted">
          {t('Sent from your own phone {time}', { time: formatDayTimeInSentence(textedAt, timeZone, now) })}
        </p>
      )}
      {isOut && (
        <BubbleActions
          message={message}
          customerId={customerId}
          isStopped={isStopped}
          smsLink={textedAt ? null : smsLink}
          onByHand={onByHand}
        />
      )}
    </li>
  )
}

function EmailBody({ message }: { message: Message }) {
  return (
    <div className="min-w-0">
      <p className="flex items-start gap-2 font-semibold wrap-anywhere">
        <Icon name="mail" className="mt-0.5 text-primary" />
        {message.subject || t('Email without a subject')}
      </p>
      <Disclosure summary={t('Show the email')}>
        <p className="max-w-[68ch] pb-1 wrap-anywhere whitespace-pre-line">{message.body}</p>
      </Disclosure>
    </div>
  )
}

/** Where it went, when that is not the phone or email on the record. */
function SentElsewhere({ message: { channel, to } }: { message: Message }) {
  return (
    <p className="max-w-[88%] px-1 text-caption text-muted sm:max-w-[75%]">
      {t('To')} <BreakableAddress>{channel === 'sms' ? formatPhone(to) : to}</BreakableAddress>
    </p>
  )
}

/** When it came, and what of it was not kept. */
function InboundStatus({ message, timeZone }: { message: Message; timeZone: string }) {
  const lacks = message.statusText.startsWith('received ') ? message.statusText.slice('received '.length) : null
  return (
    <p className="max-w-[88%] px-1 text-caption text-muted sm:max-w-[75%]">
      <span className="tabular-nums">{formatTime(message.createdAt, timeZone)}</span>
      {lacks && (
        <span className="ml-2 inline-flex items-start gap-1 font-semibold text-warning">
          <Icon name="alert" className="mt-px size-4" />
          {lacks}
        </span>
      )}
    </p>
  )
}

/** Who wrote it, when, and its state, which opens the reasons. */
function OutboundStatus({ message, timeZone, now }: { message: Message; timeZone: string; now: number }) {
  const isOnline = useOnline()
  const [isAsking, setIsAsking] = useState(false)
  const { id } = useCurrentUser()
  const { tone, icon, text } = describeMessageState(message, timeZone, now, useSendBlocks())
  const by = message.author ? (message.author.id === id ? t('You') : message.author.name) : MESSAGE_KINDS[message.kind]
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        disabled={!isOnline}
        onClick={() => setIsAsking(true)}
        className="flex min-h-11 max-w-[88%] flex-wrap items-center justify-end gap-x-2 rounded-field px-1 text-left text-caption text-muted hover:bg-primary/8 sm:max-w-[75%]"
      >
        <span className="tabular-nums">
          {by}, {formatTime(message.sentAt ?? message.createdAt, timeZone)}
        </span>
        <span className={classNames('inline-flex items-start gap-1 font-semibold', TONE_CLASSES[tone])}>
          <Icon name={icon} className="mt-px size-4" />
          {text}
        </span>
        <span className="sr-only">{t('Why?')}</span>
      </button>
      {isAsking && (
        <Suspense fallback={null}>
          <DecisionSheet
            open
            onClose={() => setIsAsking(false)}
            message={message}
            leadId={message.leadId ?? null}
            timeZone={timeZone}
          />
        </Suspense>
      )}
    </>
  )
}
