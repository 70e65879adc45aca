// Sending number: assigned by the operator, or claimed by a code.
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { isEmailOpen } from '@/domain/trust'
import { formatDateTime } from '@/lib/format/date'
import { formatPhone } from '@/lib/format/phone'
import { useCurrentUser } from '@/features/session/use-session'
import { trustQuery } from '@/features/trust/queries'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Card } from '@/ui/card'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import {
  type SendingNumber,
  sendingNumberQuery,
  sendingNumberMessages as texts,
  useClaimNumber,
  useConfirmNumber,
  useReleaseNumber,
} from './sending-number'

const NumberSetup = lazy(async () => ({
  default: (await import('@/features/number-setup/number-setup')).NumberSetup,
}))
const TextingRegistration = lazy(async () => ({
  default: (await import('@/features/number-setup/texting-registration')).TextingRegistration,
}))

const ASSIGNED_BY_TEXT: Record<NonNullable<SendingNumber['assignedBy']>, string> = {
  first_business: t('It came with your Toolbox.'),
  operator: t('The person who runs your Toolbox assigned it to you.'),
  code: t('You proved it with a code.'),
  kept: t('It was in your settings before numbers were assigned.'),
  bought: t('You got it here.'),
  taken_over: t('You took it over from the phone account of this Toolbox.'),
}

export function SendingNumberCard() {
  const { orgId, orgTimezone, role } = useCurrentUser()
  const found = useQuery(sendingNumberQuery(orgId))
  const sendsEmails = isEmailOpen(useQuery(trustQuery(orgId)).data)
  return (
    <Card title={texts.title} icon="phone">
      <QueryBoundary query={found} errorText={texts.failed} timeZone={orgTimezone}>
        {(sendingNumber) => (
          <div className="grid gap-5">
            <NumberStatus sendingNumber={sendingNumber} sendsEmails={sendsEmails} />
            {role === 'owner' && sendingNumber.isSetUp && (
              <Suspense fallback={<SkeletonLines lines={4} />}>
                <NumberSetup initialWay={sendingNumber.number ? 'forward' : 'buy'} />
                <TextingRegistration />
              </Suspense>
            )}
            {role === 'owner' && <ReleaseNumber sendingNumber={sendingNumber} sendsEmails={sendsEmails} />}
            {role === 'owner' ? (
              <OwnerClaim sendingNumber={sendingNumber} timeZone={orgTimezone} />
            ) : (
              <p className="text-note text-muted">{t('Only the owner can change this.')}</p>
            )}
          </div>
        )}
      </QueryBoundary>
    </Card>
  )
}

type SendingNumberProps = { sendingNumber: SendingNumber; sendsEmails: boolean }

function NumberStatus({
  sendingNumber: { number, why, assignedBy, others, sharesService },
  sendsEmails,
}: SendingNumberProps) {
  return (
    <div className="grid gap-2">
      {why && (
        <Notice tone="warning" title={t('No texts are sent')}>
          {`${why.charAt(0).toUpperCase()}${why.slice(1)}. ${texts.meanwhile(sendsEmails)}`}
        </Notice>
      )}
      {number && (
        <StatusLine tone="success" icon="check-circle">
          {t('your texts leave from {number}', { number: formatPhone(number) })}
        </StatusLine>
      )}
      {assignedBy && (
        <p className="text-note text-muted">
          {ASSIGNED_BY_TEXT[assignedBy]} {t('Calls and texts to it are yours alone.')}
        </p>
      )}
      {!number && sharesService && (
        <p className="text-note text-muted">
          {t(
            'Your texts leave from numbers that you share with other businesses. An answer goes to the business that wrote to that person last, and a STOP stops all of you.',
          )}
        </p>
      )}
      {others.length > 0 && (
        <p className="text-note text-muted">
          {plural(
            others.length,
            'Also yours: {numbers}. Texts and calls to it come to you.',
            'Also yours: {numbers}. Texts and calls to them come to you.',
            { numbers: others.map(formatPhone).join(', ') },
          )}
        </p>
      )}
    </div>
  )
}

function ReleaseNumber({ sendingNumber: { number, others }, sendsEmails }: SendingNumberProps) {
  const [releasedNumber, setAsked] = useState<string>()
  const giveUp = useReleaseNumber()
  const all = [...(number ? [number] : []), ...others]
  const next = releasedNumber === number ? others[0] : number
  const close = () => setAsked(undefined)
  return (
    <div className="flex flex-wrap gap-2">
      {all.map((one) => (
        <Button key={one} variant="secondary" onClick={() => setAsked(one)}>
          {t('Give up {number}', { number: formatPhone(one) })}
        </Button>
      ))}
      <Dialog
        open={releasedNumber !== undefined}
        onClose={close}
        title={
          releasedNumber ? t('Give up {number}?', { number: formatPhone(releasedNumber) }) : t('Give up this number?')
        }
        actions={
          <>
            <Button variant="ghost" onClick={close}>
              {t('Keep it')}
            </Button>
            <Button
              variant="danger"
              pending={giveUp.isPending}
              onClick={() => releasedNumber && giveUp.mutate(releasedNumber, { onSuccess: close })}
            >
              {t('Give it up')}
            </Button>
          </>
        }
      >
        <ul className="list-disc space-y-2 pl-5">
          <li>
            {next
              ? t('Your texts leave from {number}.', { number: formatPhone(next) })
              : texts.noMoreTexts(sendsEmails)}
          </li>
          <li>
            {t(
              'Calls and texts from people you texted from it still reach you, as long as Twilio still delivers them here. Other calls are turned away here, and texts from people you never texted with there reach no one. Change your call forwarding first.',
            )}
          </li>
          <li>{t('Your conversations stay. Anyone who replied STOP to it stays stopped.')}</li>
          <li>
            {t(
              'It goes back to the person who runs your Toolbox. No other business can take it over. Only they can give it to you again, or you prove it with a new code.',
            )}
          </li>
        </ul>
      </Dialog>
    </div>
  )
}

/** The form, or what the operator must do first. */
function OwnerClaim(props: { sendingNumber: SendingNumber; timeZone: string }) {
  if (!props.sendingNumber.isSetUp) return <p className="text-note text-muted">{texts.notSetUp}</p>
  return <ClaimForm {...props} />
}

function ClaimForm({ sendingNumber: { claim }, timeZone }: { sendingNumber: SendingNumber; timeZone: string }) {
  const [number, setNumber] = useState('')
  const ask = useClaimNumber()
  const problem = ask.error instanceof ApiError ? ask.error.errors['number'] : undefined
  const isOpen = claim?.state === 'waiting' || claim?.state === 'sent'
  const send = (method: 'text' | 'call') => ask.mutate({ number, way: method })
  return (
    <section aria-label={t('Use another number')} className="grid gap-4">
      <h3 className="font-semibold">{t('Use another number')}</h3>
      <p className="text-note text-muted">
        {t(
          'The number must be in your Toolbox’s account at Twilio. We send a code to it, so that no one takes a number that is not theirs.',
        )}
      </p>
      <form
        className="grid gap-3"
        aria-label={t('Claim a number')}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          send('text')
        }}
      >
        <Field label={t('Number')} unmarked error={problem}>
          {(aria) => (
            <input
              className="input"
              type="tel"
              inputMode="tel"
              autoComplete="off"
              {...aria}
              value={number}
              onChange={(event) => {
                setNumber(event.target.value)
                ask.reset()
              }}
            />
          )}
        </Field>
        {ask.isError && !problem && (
          <Notice tone="error" title={t('No code was sent')}>
            {describeError(ask.error).description}
          </Notice>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" disabled={number.trim() === ''} pending={ask.isPending && ask.variables.way === 'text'}>
            {t('Text a code')}
          </Button>
          <Button
            variant="secondary"
            disabled={number.trim() === ''}
            pending={ask.isPending && ask.variables.way === 'call'}
            onClick={() => send('call')}
          >
            {t('Call with a code')}
          </Button>
        </div>
      </form>
      {claim?.state === 'failed' && (
        <Notice tone="error" title={t('No code reached {number}', { number: formatPhone(claim.number) })}>
          {claim.reason ?? t('Please try again.')}
        </Notice>
      )}
      {claim && isOpen && <CodeForm number={claim.number} until={formatDateTime(claim.expiresAt, timeZone)} />}
    </section>
  )
}

function CodeForm({ number, until }: { number: string; until: string }) {
  const [code, setCode] = useState('')
  const confirm = useConfirmNumber()
  const problem = confirm.error instanceof ApiError ? confirm.error.errors['code'] : undefined
  return (
    <form
      className="grid gap-3"
      aria-label={t('Code')}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        confirm.mutate(code.trim(), { onSettled: () => setCode('') })
      }}
    >
      <Field
        label={t('Code for {number}', { number: formatPhone(number) })}
        unmarked
        hint={t('Six digits. Good until {date}.', { date: until })}
        error={problem}
      >
        {(aria) => (
          <input
            className="input"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            {...aria}
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      {confirm.isError && !problem && (
        <Notice tone="error" title={t('The number is not yours yet')}>
          {describeError(confirm.error).description}
        </Notice>
      )}
      <div>
        <Button type="submit" disabled={code.trim().length !== 6} pending={confirm.isPending}>
          {t('Use this number')}
        </Button>
      </div>
    </form>
  )
}
