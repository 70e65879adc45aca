// Delivery channels with a known address.
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { formatPhone } from '@/lib/format/phone'
import { BreakableAddress } from '@/ui/breakable-address'
import { CheckboxField } from '@/ui/checkbox-field'
import { FieldError } from '@/ui/field'

/** Where a paper can go. */
export type Recipient = {
  email?: string | null | undefined
  phone?: string | null | undefined
  /** Why the phone gets no texts. */ noText?: string | null | undefined
}

/** Whether a text may go there. */
export const canReceiveTexts = ({ phone, noText }: Recipient) => Boolean(phone) && !noText

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
  if (!email && !phone) return <p className="text-note text-muted">{none}</p>
  return (
    <fieldset className="min-w-0">
      <legend className="font-semibold">Send it to the customer</legend>
      {email && (
        <CheckboxField form={form} name={byEmail}>
          by email to <BreakableAddress>{email}</BreakableAddress>
        </CheckboxField>
      )}
      {canReceiveTexts(to) && phone && (
        <CheckboxField form={form} name={byText}>
          by text to <span className="whitespace-nowrap">{formatPhone(phone)}</span>
        </CheckboxField>
      )}
      {phone && noText && (
        <p className="text-note text-muted">
          No text to <span className="whitespace-nowrap">{formatPhone(phone)}</span>: {noText}.
        </p>
      )}
      {error && <FieldError>{error}</FieldError>}
    </fieldset>
  )
}
