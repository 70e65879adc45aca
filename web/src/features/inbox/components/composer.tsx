import { type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { MESSAGE_CHANNELS, type MessageChannel } from '@/domain/message'
import { classNames } from '@/lib/class-names'
import { useMediaQuery } from '@/lib/hooks/use-media-query'
import { isDemoMode } from '@/lib/demo'
import { useOnline } from '@/lib/hooks/use-online'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { StatusLine } from '@/ui/status-line'
import type { MessageDraft } from '../lib/message-draft'
import { withSmsBody } from '../lib/sms-link'
import { inboxMessages } from '../messages'
import type { ConversationPage, NewMessage } from '../types'
import { SendFromOwnPhone } from './bubble-actions'
import { OtherNumberOptOut, OptOutNotice } from './opt-out-notice'
import { SegmentCount } from './segment-count'

const CannedSheet = lazy(async () => ({ default: (await import('./canned-sheet')).CannedSheet }))
/** Needs a connection. */
const ScheduleMessageSheet = lazy(async () => ({
  default: (await import('./schedule-message-sheet')).ScheduleMessageSheet,
}))

const CHANNELS = ['sms', 'email'] as const satisfies readonly MessageChannel[]
/** Ten texts; more belongs into an email. */
const MAX_BODY_LENGTH = 1530

type ComposerProps = {
  conversation: ConversationPage
  leadId: string | null
  draft: MessageDraft
  onDraft: (parts: Partial<MessageDraft>) => void
  onSend: (message: NewMessage) => void
  /** Takes the keys as soon as it is there, where there are keys; `?do=answer` asks for it everywhere. */
  takesFocus: boolean
  timeZone: string
}

export function Composer({ conversation, leadId, draft, onDraft, onSend, takesFocus, timeZone }: ComposerProps) {
  const { customer, canText, canEmail } = conversation
  const [sheet, setSheet] = useState<'canned' | 'later'>()
  const can = draft.channel === 'sms' ? canText : canEmail
  const isStopped = draft.channel === 'sms' && Boolean(customer.smsOptOut)
  const isByHand = draft.channel === 'sms' && !canText.ok && Boolean(canText.smsLink)
  const body = draft.body.trim()
  const isOnline = useOnline()
  // Offline it waits on the device; the demonstration keeps nothing there.
  const isReady = (isOnline || !isDemoMode()) && can.ok && body !== ''

  const request = (more: Partial<NewMessage>): NewMessage => ({
    channel: draft.channel,
    body,
    ...(draft.channel === 'email' && draft.subject.trim() !== '' ? { subject: draft.subject.trim() } : {}),
    ...(leadId === null ? {} : { leadId }),
    ...more,
  })
  const send = (more: Partial<NewMessage> = {}) => {
    onSend(request(more))
    onDraft({ body: '', subject: '' })
  }
  return (
    <>
      <form
        aria-label={t('Write to {name}', { name: customer.name })}
        className="grid grid-cols-[minmax(0,1fr)] gap-2 border-t border-primary/22 p-2 sm:p-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) send()
        }}
      >
        <div className="flex flex-wrap items-center justify-between gap-1">
          <ChannelChoice channel={draft.channel} onChange={(channel) => onDraft({ channel })} />
          {!isStopped && (
            <ComposerTools
              canSend={isReady && isOnline}
              onCanned={() => setSheet('canned')}
              onLater={() => setSheet('later')}
            />
          )}
        </div>
        <OtherNumberOptOut customer={customer} />
        {isStopped ? (
          <OptOutNotice
            customer={customer}
            canEmail={canEmail.ok}
            onEmail={() => onDraft({ channel: 'email' })}
            timeZone={timeZone}
          />
        ) : (
          <>
            {!isOnline && (
              <StatusLine tone="warning" icon="offline">
                {isDemoMode() ? inboxMessages.offlineDemo : inboxMessages.offline}
              </StatusLine>
            )}
            {!can.ok && (
              <StatusLine tone="warning" icon="alert">
                {can.why ?? t('Not possible right now')}
              </StatusLine>
            )}
            <MessageFields
              draft={draft}
              onDraft={onDraft}
              canSend={isReady}
              onSend={() => send()}
              isPossible={can.ok}
              takesFocus={takesFocus}
            />
            {isByHand &&
              (body === '' ? (
                <p className="text-caption text-muted">{inboxMessages.byHand.hint}</p>
              ) : (
                <div className="flex flex-wrap gap-2">
                  <SendFromOwnPhone
                    link={withSmsBody(canText.smsLink ?? '', draft.body)}
                    onSent={() => send({ byHand: true })}
                  />
                </div>
              ))}
            {draft.channel === 'sms' && <SegmentCount text={draft.body} />}
          </>
        )}
      </form>
      {sheet === 'later' && (
        <Suspense fallback={null}>
          <ScheduleMessageSheet
            open
            onClose={() => setSheet(undefined)}
            timeZone={timeZone}
            onPick={(sendAt) => send({ sendAt })}
          />
        </Suspense>
      )}
      {sheet === 'canned' && (
        <Suspense fallback={null}>
          <CannedSheet
            onClose={() => setSheet(undefined)}
            text={draft.body}
            onPick={(picked) =>
              onDraft({ body: draft.body.trim() === '' ? picked : `${draft.body.trimEnd()} ${picked}` })
            }
          />
        </Suspense>
      )}
    </>
  )
}

function ChannelChoice({
  channel,
  onChange,
}: {
  channel: MessageChannel
  onChange: (channel: MessageChannel) => void
}) {
  return (
    <div role="radiogroup" aria-label={t('Send by')} className="flex rounded-field border border-primary/30 p-0.5">
      {CHANNELS.map((each) => (
        <label
          key={each}
          className={classNames(
            'relative flex min-h-11 cursor-pointer items-center gap-1.5 rounded-[.5rem] px-2.5 text-note sm:px-3 font-semibold has-focus-visible:outline-2 has-focus-visible:outline-primary',
            each === channel ? 'bg-primary/12 text-primary' : 'text-muted',
          )}
        >
          <input
            type="radio"
            name="channel"
            className="sr-only"
            checked={each === channel}
            onChange={() => onChange(each)}
          />
          <Icon name={MESSAGE_CHANNELS[each].icon} className="hidden size-4 sm:block" />
          {MESSAGE_CHANNELS[each].label}
        </label>
      ))}
    </div>
  )
}

const TOOL = 'min-h-11! gap-1.5! px-2! text-note! sm:px-2.5! [&>svg]:hidden sm:[&>svg]:block'

function ComposerTools({
  canSend,
  onCanned,
  onLater,
}: {
  canSend: boolean
  onCanned: () => void
  onLater: () => void
}) {
  return (
    <div className="flex">
      <Button variant="ghost" icon="document" className={TOOL} onClick={onCanned}>
        {t('Replies')}
      </Button>
      <Button variant="ghost" icon="clock" className={TOOL} disabled={!canSend} onClick={onLater}>
        {t('Later')}
      </Button>
    </div>
  )
}

type WritingProps = {
  draft: MessageDraft
  onDraft: (parts: Partial<MessageDraft>) => void
  canSend: boolean
  isPossible: boolean
  takesFocus: boolean
  onSend: () => void
}

function MessageFields({ draft, onDraft, canSend, isPossible, takesFocus, onSend }: WritingProps) {
  const hasKeyboard = useMediaQuery('(hover: hover) and (pointer: fine)', true)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (takesFocus && hasKeyboard) field.current?.focus()
  }, [takesFocus, hasKeyboard])
  const [action, ask] = usePageAction()
  useEffect(() => {
    if (action !== 'answer') return
    field.current?.scrollIntoView({ block: 'center' })
    field.current?.focus({ preventScroll: true })
    ask(undefined)
  }, [action, ask])
  const sendOnEnter = (event: KeyboardEvent) => {
    // On glass Enter makes a line; while an input method composes it chooses a word.
    if (!hasKeyboard || event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canSend) onSend()
  }
  const isEmail = draft.channel === 'email'
  return (
    <>
      {isEmail && (
        <input
          className="input"
          aria-label={t('Subject')}
          placeholder={t('Subject')}
          maxLength={200}
          value={draft.subject}
          onChange={(event) => onDraft({ subject: event.target.value })}
        />
      )}
      <div className="flex items-end gap-2">
        <textarea
          ref={field}
          className={classNames('textarea field-sizing-content max-h-40 min-h-12 py-2.5', isEmail && 'min-h-24')}
          rows={isEmail ? 4 : 1}
          aria-label={isEmail ? t('Email') : t('Text message')}
          placeholder={isEmail ? t('Write an email') : t('Write a text')}
          maxLength={isEmail ? 20_000 : MAX_BODY_LENGTH}
          enterKeyHint={hasKeyboard ? 'send' : 'enter'}
          value={draft.body}
          onChange={(event) => onDraft({ body: event.target.value })}
          onKeyDown={isEmail ? undefined : sendOnEnter}
        />
        {isPossible && (
          // A tap on it leaves the field its focus: the phone's keyboard stays, and so does the place of the next line.
          <IconButton
            type="submit"
            label={t('Send')}
            icon="send"
            disabled={!canSend}
            className="btn-primary"
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => field.current?.focus()}
          />
        )}
      </div>
    </>
  )
}
