// Replaces the composer for opted-out customers.
import { useState } from 'react'
import { getTextOptOut } from '@/domain/customer'
import { formatDate } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Notice } from '@/ui/notice'
import { useOptOut } from '../mutations'
import type { CustomerCard } from '../types'

type OptOutNoticeProps = { customer: CustomerCard; canEmail: boolean; onEmail: () => void; timeZone: string }

export function OptOutNotice({ customer, canEmail, onEmail, timeZone }: OptOutNoticeProps) {
  const refusal = getTextOptOut(customer.smsOptOut)
  if (!customer.smsOptOut || !refusal) return null
  const { since, matched } = customer.smsOptOut
  if (refusal === 'doubted') return <TextsPaused customerId={customer.id} matched={matched} />
  if (refusal === 'elsewhere')
    return (
      <OptedOutElsewhere
        customerId={customer.id}
        title={t('They asked at this number not to be texted on {date}', { date: formatDate(since, timeZone) })}
        isStopped={customer.smsOptOut.state === 'stopped'}
      />
    )
  if (refusal === 'decided') return <OptedOutHere customerId={customer.id} since={formatDate(since, timeZone)} />
  return (
    <Notice
      tone="error"
      icon="shield"
      title={t('They said STOP on {date}: nothing can be sent by text', { date: formatDate(since, timeZone) })}
    >
      <p>
        {canEmail
          ? t('Only they can change that, by texting START. Calls and emails are still possible.')
          : t('Only they can change that, by texting START. Calls are still possible.')}
      </p>
      {canEmail && (
        <Button variant="secondary" icon="mail" className="mt-2" onClick={onEmail}>
          {t('Write an email')}
        </Button>
      )}
    </Notice>
  )
}

/** What the business itself decided, it may take back. */
function OptedOutHere({ customerId, since }: { customerId: string; since: string }) {
  const [isAsking, setIsAsking] = useState(false)
  const optOut = useOptOut(customerId, 'allowed')
  const allow = () => {
    setIsAsking(false)
    optOut.mutate('lifted')
  }
  return (
    <Notice tone="error" icon="shield" title={t('Your business stopped texts to them on {date}', { date: since })}>
      <p>{t('Nothing can be sent by text until one of you allows it again, or they text START.')}</p>
      <Button
        variant="secondary"
        icon="message"
        className="mt-2"
        pending={optOut.isPending}
        pendingText={t('Allowing...')}
        onClick={() => setIsAsking(true)}
      >
        {t('Allow texts again')}
      </Button>
      {isAsking && (
        <AllowTextsDialog onCancel={() => setIsAsking(false)} onAllow={allow}>
          {t(
            'Only if this was a slip, or they told you that they want texts. Rules may write to them again, and so may you.',
          )}
        </AllowTextsDialog>
      )}
    </Notice>
  )
}

type AllowTextsDialogProps = { onCancel: () => void; onAllow: () => void; children: string }

/** Asked before texts leave again. */
function AllowTextsDialog({ onCancel, onAllow, children }: AllowTextsDialogProps) {
  return (
    <Dialog
      open
      onClose={onCancel}
      title={t('Allow texts again?')}
      actions={
        <>
          <Button variant="ghost" onClick={onCancel}>
            {t('Cancel')}
          </Button>
          <Button icon="message" onClick={onAllow}>
            {t('They may be texted')}
          </Button>
        </>
      }
    >
      <p>{children}</p>
    </Dialog>
  )
}

/** The same of a number that replies do not go to at the moment: it is decided here too, and one can go on writing. */
export function OtherNumberOptOut({ customer }: { customer: CustomerCard }) {
  const other = customer.otherNumbers.find(({ smsOptOut }) => smsOptOut?.state === 'paused')
  if (!other || customer.smsOptOut?.state === 'paused') return null
  if (other.smsOptOut?.saidElsewhere)
    return (
      <OptedOutElsewhere
        customerId={customer.id}
        title={t('They asked at this number not to be texted, from {phone}', { phone: other.phoneShown })}
        isOtherNumber
        isStopped={false}
      />
    )
  return <TextsPaused customerId={customer.id} matched={other.smsOptOut?.matched} from={other.phoneShown} />
}

/** They wrote to another business that texts from the same number. What they wrote stays there. */
function OptedOutElsewhere({
  customerId,
  title,
  isOtherNumber = false,
  isStopped,
}: {
  customerId: string
  title: string
  isOtherNumber?: boolean
  isStopped: boolean
}) {
  const optOut = useOptOut(customerId, 'allowed')
  return (
    <Notice tone="warning" icon="shield" title={title}>
      <p>
        {t('They wrote to another business on the shared number, so you cannot read what they wrote.')}{' '}
        {isOtherNumber ? t('Nothing is sent to that number by text.') : t('Nothing is sent to them by text.')}{' '}
        {t('Allow your texts only after you have asked them.')}
        {isStopped ? '' : ` ${t('If the other business confirms STOP, your texts stop again.')}`}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {!isStopped && (
          <Button
            variant="danger"
            icon="shield"
            pending={optOut.isPending && optOut.variables === 'stopped'}
            disabled={optOut.isPending}
            onClick={() => optOut.mutate('stopped')}
          >
            {t('They want no texts')}
          </Button>
        )}
        <Button
          variant="secondary"
          icon="message"
          pending={optOut.isPending && optOut.variables === 'lifted'}
          disabled={optOut.isPending}
          onClick={() => optOut.mutate('lifted')}
        >
          {t('They want our texts')}
        </Button>
      </div>
    </Notice>
  )
}

function TextsPaused({
  customerId,
  matched,
  from,
}: {
  customerId: string
  matched: string | null | undefined
  from?: string
}) {
  const [isAsking, setIsAsking] = useState(false)
  const optOut = useOptOut(customerId)
  const allow = () => {
    setIsAsking(false)
    optOut.mutate('lifted')
  }
  return (
    <Notice
      tone="warning"
      icon="shield"
      title={
        from
          ? t('They may have asked to stop from {phone}: confirm or lift', { phone: from })
          : t('They may have asked to stop: confirm or lift')
      }
    >
      <p>
        {matched ? (
          <>
            {t('It reads as:')} <span className="wrap-anywhere">{matched}</span>.{' '}
          </>
        ) : null}
        {from
          ? t('Until you decide, nothing is sent to that number by text.')
          : t('Until you decide, nothing is sent to them by text.')}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          variant="danger"
          icon="shield"
          pending={optOut.isPending && optOut.variables === 'stopped'}
          disabled={optOut.isPending}
          onClick={() => optOut.mutate('stopped')}
        >
          {t('They want no texts')}
        </Button>
        <Button
          variant="secondary"
          icon="check"
          pending={optOut.isPending && optOut.variables === 'lifted'}
          disabled={optOut.isPending}
          onClick={() => setIsAsking(true)}
        >
          {t('They did not mean that')}
        </Button>
      </div>
      {isAsking && (
        <AllowTextsDialog onCancel={() => setIsAsking(false)} onAllow={allow}>
          {t(
            'Only if you have read what they wrote and it is about something else, or they told you that they want texts. Rules may write to them again, and so may you.',
          )}
        </AllowTextsDialog>
      )}
    </Notice>
  )
}
