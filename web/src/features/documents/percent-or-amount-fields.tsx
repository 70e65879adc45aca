import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Field } from '@/ui/field'

export type AmountKindOption = { value: string; label: string }

export const AMOUNT_KIND_OPTIONS: readonly AmountKindOption[] = [
  { value: 'none', label: t('None') },
  { value: 'percent', label: t('Percent') },
  { value: 'amount', label: t('Dollars') },
]

type PercentOrAmountFieldsProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  kind: Path<T>
  value: Path<T>
  label: string
  /** Beside the value: `Percent off`, `Percent of the total`. */
  percent: string
  amount: string
  kinds?: readonly AmountKindOption[]
}

export function PercentOrAmountFields<T extends FieldValues>({
  form,
  kind,
  value,
  label,
  percent,
  amount,
  kinds = AMOUNT_KIND_OPTIONS,
}: PercentOrAmountFieldsProps<T>) {
  const chosen: string = form.watch(kind)
  const error = form.getFieldState(value, form.formState).error?.message
  const hasValue = chosen === 'percent' || chosen === 'amount'
  return (
    // By itself the choice has room for its longest words.
    <div className={classNames('grid items-start gap-3', hasValue ? 'grid-cols-2' : 'sm:grid-cols-2')}>
      <Field label={label} unmarked>
        {(aria) => (
          <select className="select text-ellipsis" {...form.register(kind)} {...aria}>
            {kinds.map(({ value: key, label: words }) => (
              <option key={key} value={key}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      {hasValue && (
        <Field label={chosen === 'percent' ? percent : amount} required error={error}>
          {(aria) => (
            <input
              className="input tabular-nums"
              inputMode="decimal"
              autoComplete="off"
              aria-required
              {...form.register(value)}
              {...aria}
            />
          )}
        </Field>
      )}
    </div>
  )
}
