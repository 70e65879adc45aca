// Note, terms, deposit and expiry of an estimate.
import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { formatMoney } from '@/lib/format/money'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Disclosure } from '@/ui/disclosure'
import { TextAreaField, TextField } from '@/ui/field'
import { type AmountKindOption, AMOUNT_KIND_OPTIONS, PercentOrAmountFields } from '../percent-or-amount-fields'
import { documentQueries } from '../queries'
import { LINE_ITEM_LIMITS } from '../schema'
import type { EstimateBaseValues } from './schema'

type EstimateTermsProps = {
  form: UseFormReturn<EstimateBaseValues>
  /** The first day that can be chosen as the last. */
  today: string
  isOpen: boolean
  /** Whether the settings ask for a deposit by default. */
  hasStandingDeposit: boolean
}

const OPTIONAL_FIELDS = ['notes', 'deposit', 'expiresOn', 'terms'] as const

export function EstimateTerms({ form, today, isOpen, hasStandingDeposit }: EstimateTermsProps) {
  return (
    <Disclosure
      summary={t('Note, deposit, terms and last day')}
      isOpen={isOpen || OPTIONAL_FIELDS.some((field) => form.getFieldState(field, form.formState).invalid)}
    >
      <div className="grid gap-4 pt-2 pb-3">
        <TextAreaField
          form={form}
          name="notes"
          label={t('Note to the customer')}
          maxLength={LINE_ITEM_LIMITS.notes}
          hint={t('Shown below the price')}
        />
        {hasStandingDeposit ? <DepositOrDefault form={form} /> : <DepositFields form={form} />}
        <TextField
          form={form}
          name="expiresOn"
          type="date"
          label={t('Good until')}
          min={today}
          hint={t('Left empty, it is good for as long as your settings say')}
        />
        <TextAreaField
          form={form}
          name="terms"
          label={t('Terms')}
          rows={3}
          maxLength={LINE_ITEM_LIMITS.notes}
          hint={t('Left empty, those of your settings stand under it')}
        />
      </div>
    </Disclosure>
  )
}

function DepositFields({
  form,
  kinds = AMOUNT_KIND_OPTIONS,
}: {
  form: UseFormReturn<EstimateBaseValues>
  kinds?: readonly AmountKindOption[]
}) {
  return (
    <PercentOrAmountFields
      form={form}
      kind="depositKind"
      value="deposit"
      label={t('Deposit on approval')}
      percent={t('Percent of the total')}
      amount={t('Dollars due')}
      kinds={kinds}
    />
  )
}

function describeDefaultDeposit({ kind, value }: { kind: string; value?: number | null }): string {
  if (typeof value !== 'number' || kind === 'none') return t('As in your settings: none')
  return t('As in your settings: {deposit}', { deposit: kind === 'percent' ? `${value} %` : formatMoney(value) })
}

function DepositOrDefault({ form }: { form: UseFormReturn<EstimateBaseValues> }) {
  const { orgId } = useCurrentUser()
  const { data } = useQuery(documentQueries.settings(orgId))
  return (
    <DepositFields
      form={form}
      kinds={[
        { value: 'standing', label: data ? describeDefaultDeposit(data.estimates.deposit) : t('As in your settings') },
        ...AMOUNT_KIND_OPTIONS,
      ]}
    />
  )
}
