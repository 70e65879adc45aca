// Delivery channels with a known address, and why a channel is missing.
import { lazy, Suspense } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { contactMessages } from '@/features/contact-points/messages'
import type { ContactPointProof, ContactProposal } from '@/features/contact-points/types'
import { formatPhone } from '@/lib/format/phone'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { CheckboxField } from '@/ui/checkbox-field'
import { FieldError } from '@/ui/field'

// Few customers have one.
const UnusedAddress = lazy(async () => ({
  default: (await import('@/features/contact-points/unused-address')).UnusedAddress,
}))

/** Where a paper can go. */
export type Recipient = {
  email?: string | null | undefined
  phone?: string | null | undefined
  /** Why the phone gets no texts. */ noText?: string | null | undefined
  /** Why the business cannot text it, where one's own phone can. */ textsBlocked?: string | null | undefined
  emailProof?: ContactPointProof | null | undefined
  phoneProof?: ContactPointProof | null | undefined
  /** Addresses that get nothing until the office uses them. */ alsoGave?: readonly ContactProposal[] | undefined
}

/** Whether the business can text it. */
export const canReceiveTexts = ({ phone, noText, textsBlocked }: Recipient) =>
  Boolean(phone) && !noText && !textsBlocked

/** Whether only one's own phone can text it. */
export const isOwnPhoneOnly = ({ phone, noText, textsBlocked }: Recipient) =>
  Boolean(phone) && !noText && Boolean(textsBlocked)

/** A text is also asked for where only one's own phone can send it: the server keeps its words for that. */
export const wantsText = (to: Recipient) => canReceiveTexts(to) || isOwnPhoneOnly(to)

type ChannelValues = { email: boolean; text: boolean }
type ChannelFieldsProps<T extends FieldValues & ChannelValues> = {
  form: UseFormReturn<T>
  to: Recipient
  /** Hint without a phone and an email. */ none: string
}

export function ChannelFields<T extends FieldValues & ChannelValues>({ form, to, none }: ChannelFieldsProps<T>) {
  const { email, phone, noText } = to
  const [byEmail, byText] = ['email' as Path<T>, 'text' as Path<T>]
  const error = form.getFieldState(byText, form.formState).error?.message
  if (!email && !phone)
    return (
      <div className="grid gap-2">
        <p className="text-note text-muted">{none}</p>
        <MissingChannel kind="email" to={to} />
        <MissingChannel kind="phone" to={to} />
      </div>
    )
  return (
    <fieldset className="min-w-0">
      <legend className="font-semibold">{t('Send it to the customer')}</legend>
      {email ? (
        <>
          <CheckboxField form={form} name={byEmail}>
            {t('by email to')} <BreakableAddress>{email}</BreakableAddress>
          </CheckboxField>
          <TypedNote proof={to.emailProof} />
        </>
      ) : (
        <MissingChannel kind="email" to={to} />
      )}
      {canReceiveTexts(to) && phone && (
        <>
          <CheckboxField form={form} name={byText}>
            {t('by text to')} <span className="whitespace-nowrap">{formatPhone(phone)}</span>
          </CheckboxField>
          <TypedNote proof={to.phoneProof} />
        </>
      )}
      {isOwnPhoneOnly(to) && phone && <OwnPhoneRow phone={phone} why={to.textsBlocked ?? ''} />}
      {phone && noText && (
        <p className="text-note text-muted">
          {t('No text to')} <span className="whitespace-nowrap">{formatPhone(phone)}</span>: {noText}.
        </p>
      )}
      {!phone && <MissingChannel kind="phone" to={to} />}
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}

/** The text that the business cannot send. */
function OwnPhoneRow({ phone, why }: { phone: string; why: string }) {
  return (
    <>
      <label className="flex min-h-12 items-start gap-3 py-2 text-note text-muted">
        <input type="checkbox" className="checkbox mt-0.5" disabled checked={false} readOnly />
        <span className="min-w-0 wrap-anywhere">
          {t('by text to')} <span className="whitespace-nowrap">{formatPhone(phone)}</span>
        </span>
      </label>
      <p className="ml-8 text-note text-muted">
        {t('No text: {reason}. You can text it from your own phone after it is made.', { reason: why })}
      </p>
    </>
  )
}

/** Under an address that nothing but a form proves. */
function TypedNote({ proof }: { proof: ContactPointProof | null | undefined }) {
  return proof === 'form' ? <p className="mb-2 ml-8 text-note text-muted">{contactMessages.proofs.form}</p> : null
}

const MISSING_TEXTS = { email: t('No email address on file.'), phone: t('No phone number on file.') } as const

/** Why nothing goes by this channel, and the way to open it. */
function MissingChannel({ kind, to }: { kind: 'email' | 'phone'; to: Recipient }) {
  const waiting = (to.alsoGave ?? []).filter((proposal) => proposal.kind === kind && !proposal.isInUse)
  if (waiting.length === 0)
    return to.email || to.phone ? <p className="text-note text-muted">{MISSING_TEXTS[kind]}</p> : null
  return (
    <Suspense fallback={null}>
      {waiting.map((proposal) => (
        <UnusedAddress key={proposal.id} proposal={proposal} />
      ))}
    </Suspense>
  )
}
