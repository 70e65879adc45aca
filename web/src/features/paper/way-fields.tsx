// By which ways a paper goes to the customer: only those there is an address for.
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { formatPhone } from '@/lib/format/phone'
import { Breakable } from '@/ui/breakable'
import { CheckboxField } from '@/ui/checkbox-field'
import { FieldError } from '@/ui/field'

/** Where a paper can go. */
export type Recipient = {
  email?: string | null | undefined
  phone?: string | null | undefined
  /** Why the phone gets no texts. */ noText?: string | null | undefined
}

/** Whether a text may go there. */
export const takesTexts = ({ phone, noText }: Recipient) => Boolean(phone) && !noText

type Ways = { email: boolean; text: boolean }
type WayFieldsProps<T extends FieldValues & Ways> = {
  form: UseFormReturn<T>
  to: Recipient
  /** What is said where there is neither. */ none: string
}

export function WayFields<T extends FieldValues & Ways>({ form, to, none }: WayFieldsProps<T>) {
  const { email, phone, noText } = to
  const [byEmail, byText] = ['email' as Path<T>, 'text' as Path<T>]
  const error = form.getFieldState(byText, form.formState).error?.message
  if (!email && !phone) return <p className="text-note text-muted">{none}</p>
  return (
    <fieldset className="min-w-0">
      <legend className="font-semibold">Send it to the customer</legend>
      {email && (
        <CheckboxField form={form} name={byEmail}>
          by email to <Breakable>{email}</Breakable>
        </CheckboxField>
      )}
      {takesTexts(to) && phone && (
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
