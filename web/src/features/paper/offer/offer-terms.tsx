// What stands on an offer beside its price: a note, terms of its own, the deposit, the last day.
import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { formatMoney } from '@/lib/format/money'
import { useCurrentUser } from '@/session/use-session'
import { Disclosure } from '@/ui/disclosure'
import { TextAreaField, TextField } from '@/ui/field'
import { type KindChoice, PART_CHOICES, PartFields } from '../part-fields'
import { paperQueries } from '../queries'
import { LIMITS } from '../schema'
import type { OfferValues } from './schema'

type OfferTermsProps = {
  form: UseFormReturn<OfferValues>
  /** The first day that can be chosen as the last. */
  today: string
  isOpen: boolean
  /** Whether the settings ask for a deposit where nothing is said of one. */
  hasStandingDeposit: boolean
}

const FOLDED = ['notes', 'deposit', 'expiresOn', 'terms'] as const

export function OfferTerms({ form, today, isOpen, hasStandingDeposit }: OfferTermsProps) {
  return (
    <Disclosure
      summary="Note, deposit, terms and last day"
      isOpen={isOpen || FOLDED.some((field) => form.getFieldState(field, form.formState).invalid)}
    >
      <div className="grid gap-4 pt-2 pb-3">
        <TextAreaField
          form={form}
          name="notes"
          label="Note to the customer"
          maxLength={LIMITS.notes}
          hint="Stands below the price"
        />
        {hasStandingDeposit ? <DepositOrStanding form={form} /> : <Deposit form={form} />}
        <TextField
          form={form}
          name="expiresOn"
          type="date"
          label="Good until"
          min={today}
          hint="Left empty, it is good for as long as your settings say"
        />
        <TextAreaField
          form={form}
          name="terms"
          label="Terms"
          rows={3}
          maxLength={LIMITS.notes}
          hint="Left empty, those of your settings stand under it"
        />
      </div>
    </Disclosure>
  )
}

function Deposit({ form, kinds = PART_CHOICES }: { form: UseFormReturn<OfferValues>; kinds?: readonly KindChoice[] }) {
  return (
    <PartFields
      form={form}
      kind="depositKind"
      value="deposit"
      label="Deposit on approval"
      percent="Percent of the total"
      amount="Dollars due"
      kinds={kinds}
    />
  )
}

function DepositOrStanding({ form }: { form: UseFormReturn<OfferValues> }) {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(paperQueries.settings(orgId))
  const { kind, value } = data?.estimates.deposit ?? {}
  const standing =
    typeof value !== 'number' || kind === 'none' ? 'none' : kind === 'percent' ? `${value} %` : formatMoney(value)
  return (
    <Deposit
      form={form}
      kinds={[
        { value: 'standing', label: data ? `As in your settings: ${standing}` : 'As in your settings' },
        ...PART_CHOICES,
      ]}
    />
  )
}
