// What stands on an estimate beside its price: a note, terms of its own, the deposit, the last day.
import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { formatMoney } from '@/lib/format/money'
import { PartFields } from '@/paper/part-fields'
import { paperQueries } from '@/paper/queries'
import { LIMITS } from '@/paper/schema'
import { useCurrentUser } from '@/session/use-session'
import { Disclosure } from '@/ui/disclosure'
import { TextAreaField, TextField } from '@/ui/field'
import type { EstimateValues } from '../schema'

type EstimateTermsProps = { form: UseFormReturn<EstimateValues>; /** The first day that can be chosen as the last. */ today: string; isOpen: boolean }

const FOLDED = ['notes', 'deposit', 'expiresOn', 'terms'] as const

export function EstimateTerms({ form, today, isOpen }: EstimateTermsProps) {
  return (
    <Disclosure summary="Note, deposit, terms and last day" isOpen={isOpen || FOLDED.some((field) => form.getFieldState(field, form.formState).invalid)}>
      <div className="grid gap-4 pt-2 pb-3">
        <TextAreaField form={form} name="notes" label="Note to the customer" maxLength={LIMITS.notes} hint="Stands on the estimate, below the price" />
        <Deposit form={form} />
        <TextField form={form} name="expiresOn" type="date" label="Good until" min={today} hint="Left empty, it is good for as long as your settings say" />
        <TextAreaField form={form} name="terms" label="Terms" rows={3} maxLength={LIMITS.notes} hint="Left empty, those of your settings stand under it" />
      </div>
    </Disclosure>
  )
}

function Deposit({ form }: { form: UseFormReturn<EstimateValues> }) {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(paperQueries.settings(orgId))
  const { kind, value } = data?.estimates.deposit ?? {}
  const standing = typeof value !== 'number' || kind === 'none' ? 'none' : kind === 'percent' ? `${value} %` : formatMoney(value)
  const kinds = [
    { value: 'standing', label: data ? `As in your settings: ${standing}` : 'As in your settings' },
    { value: 'none', label: 'None' },
    { value: 'percent', label: 'Percent' },
    { value: 'amount', label: 'Dollars' },
  ]
  return <PartFields form={form} kind="depositKind" value="deposit" label="Deposit on approval" percent="Percent of the total" amount="Dollars due" kinds={kinds} />
}
