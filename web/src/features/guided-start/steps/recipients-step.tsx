import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { useTextsOffReason } from '@/features/own-phone/texts-off-line'
import { useCurrentUser } from '@/features/session/use-session'
import { parsePhone } from '@/features/settings/lib/parse-phone'
import { type NewRecipient, useAddRecipient } from '@/features/settings/mutations'
import { settingsQueries } from '@/features/settings/queries'
import type { Recipients } from '@/features/settings/types'
import { BreakableAddress } from '@/ui/breakable-address'
import { Field } from '@/ui/field'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { StatusLine } from '@/ui/status-line'
import { startMessages } from '../messages'
import { StepFrame } from '../step-frame'
import type { StartNav } from '../use-start-nav'
import { useStepDraft } from '../use-step-draft'

const texts = startMessages.recipients

export function RecipientsStep({ nav }: { nav: StartNav }) {
  const { orgId } = useCurrentUser()
  const found = useQuery(settingsQueries.settings(orgId))
  return (
    <QueryBoundary query={found} skeleton={<SkeletonLines lines={5} />} errorText={startMessages.loadFailed}>
      {({ recipients }) => <RecipientsForm nav={nav} recipients={recipients} />}
    </QueryBoundary>
  )
}

/** What is typed and not on the list yet. */
function listNew({ email, phone }: { email: string; phone: string }, known: Recipients): NewRecipient[] {
  const isKnownEmail = known.emails.some(({ address }) => address.toLowerCase() === email.toLowerCase())
  const isKnownPhone = known.phones.some(({ address }) => address === parsePhone(phone))
  return [...(phone === '' || isKnownPhone ? [] : [{ phone }]), ...(email === '' || isKnownEmail ? [] : [{ email }])]
}

function RecipientsForm({ nav, recipients }: { nav: StartNav; recipients: Recipients }) {
  const { email: ownEmail } = useCurrentUser()
  const textsOff = useTextsOffReason()
  const add = useAddRecipient()
  const known = [...recipients.phones.map(({ shown }) => shown), ...recipients.emails.map(({ address }) => address)]
  const draft = useStepDraft('recipients', { phone: '', email: known.includes(ownEmail) ? '' : ownEmail })
  const [isEmpty, setIsEmpty] = useState(false)
  const { values } = draft
  const errors = add.error instanceof ApiError ? add.error.errors : {}
  const change = (part: Partial<typeof values>) => {
    add.reset()
    setIsEmpty(false)
    draft.change(part)
  }
  const send = async () => {
    const wanted = listNew({ email: values.email.trim(), phone: values.phone.trim() }, recipients)
    if (wanted.length === 0 && known.length === 0) {
      setIsEmpty(true)
      return
    }
    // One after the other: the fields say which one the server refuses.
    await wanted.reduce(async (before: Promise<unknown>, one) => {
      await before
      return add.mutateAsync(one)
    }, Promise.resolve())
    draft.forget()
    nav.next()
  }
  const problem = add.error && Object.keys(errors).length === 0 ? describeError(add.error).description : undefined
  return (
    <StepFrame
      nav={nav}
      onContinue={() => void send().catch(() => undefined)}
      isSaving={add.isPending}
      problem={problem}
    >
      {known.length > 0 && (
        <ul aria-label={texts.already} className="grid gap-1">
          {known.map((one) => (
            <li key={one}>
              <StatusLine tone="success" icon="check">
                <BreakableAddress>{one}</BreakableAddress>
              </StatusLine>
            </li>
          ))}
        </ul>
      )}
      <Field
        label={texts.phone}
        unmarked
        hint={textsOff ? texts.textsOff : texts.phoneHint}
        error={isEmpty ? texts.missing : errors['phone']}
      >
        {(aria) => (
          <input
            className="input"
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            {...aria}
            value={values.phone}
            onChange={(event) => change({ phone: event.target.value })}
          />
        )}
      </Field>
      {!recipients.emails.some(({ address }) => address === ownEmail) && (
        <Field label={texts.email} unmarked error={errors['email']}>
          {(aria) => (
            <input
              className="input"
              type="email"
              inputMode="email"
              autoComplete="email"
              autoCapitalize="none"
              {...aria}
              value={values.email}
              onChange={(event) => change({ email: event.target.value })}
            />
          )}
        </Field>
      )}
    </StepFrame>
  )
}
