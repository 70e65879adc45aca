import { useState } from 'react'
import { classNames } from '@/lib/class-names'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { Icon, type IconName } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import { useResend } from '@/ui/use-resend'
import { withSmsBody } from '../lib/sms-link'
import { useCancelMessage, useResendMessage } from '../mutations'
import type { Message } from '../types'

const ACTION =
  'inline-flex min-h-11 items-center gap-1.5 rounded-field border border-primary/30 px-3 text-note font-semibold hover:bg-primary/8'

type ActionProps = { icon: IconName; pending?: boolean; onClick: () => void; children: string }

export function BubbleButton({ icon, pending = false, onClick, children }: ActionProps) {
  return (
    <button type="button" disabled={pending} aria-busy={pending || undefined} onClick={onClick} className={ACTION}>
      {pending ? <Spinner /> : <Icon name={icon} className="size-4 text-primary" />}
      {children}
    </button>
  )
}

type BubbleActionsProps = {
  message: Message
  customerId: string
  /** Opted out, or possibly so: no resend by text. */ isStopped: boolean
  smsLink: string | null
  onByHand: (body: string) => void
}

export function BubbleActions({ message, customerId, isStopped, smsLink, onByHand }: BubbleActionsProps) {
  const cancel = useCancelMessage(customerId)
  const isStuck = message.byHand && (message.status === 'failed' || message.status === 'not_sent')
  const link = isStuck ? smsLink : null
  const isRetryable = message.retryable && !(isStopped && message.channel === 'sms')
  if (!message.cancellable && !isRetryable && link === null) return null
  return (
    <div className="flex flex-wrap justify-end gap-2 pb-1">
      {message.cancellable && (
        <BubbleButton icon="close" pending={cancel.isPending} onClick={() => cancel.mutate(message.id)}>
          {t('Do not send')}
        </BubbleButton>
      )}
      {isRetryable && <ResendButton message={message} customerId={customerId} />}
      {link !== null && (
        <SendFromOwnPhone
          link={withSmsBody(link, message.ownPhoneText ?? message.body)}
          onSent={() => onByHand(message.body)}
        />
      )}
    </div>
  )
}

/** Opens the phone's texting app with the text filled in; one tap records that it was sent. */
export function SendFromOwnPhone({ link, onSent }: { link: string; onSent: () => void }) {
  const [hasLeft, setHasLeft] = useState(false)
  return (
    <>
      <a href={link} onClick={() => setHasLeft(true)} className={classNames(ACTION, 'border-primary/55')}>
        <Icon name="phone" className="size-4 text-primary" />
        {t('Text from my phone')}
      </a>
      {hasLeft && (
        <BubbleButton
          icon="check"
          onClick={() => {
            setHasLeft(false)
            onSent()
          }}
        >
          {t('I sent it')}
        </BubbleButton>
      )}
    </>
  )
}

function ResendButton({ message, customerId }: { message: Message; customerId: string }) {
  const retry = useResendMessage(customerId)
  const to = message.channel === 'sms' ? formatPhone(message.to) : message.to
  const { press, dialog } = useResend({ ...message, to, customerId }, retry.mutate)
  return (
    <>
      <BubbleButton icon="refresh" pending={retry.isPending} onClick={press}>
        {t('Send again')}
      </BubbleButton>
      {dialog}
    </>
  )
}
