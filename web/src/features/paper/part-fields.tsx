// A part of an amount: of which kind, and how much.
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { Field } from '@/ui/field'

export type KindChoice = { value: string; label: string }

export const PART_CHOICES: readonly KindChoice[] = [
  { value: 'none', label: 'None' },
  { value: 'percent', label: 'Percent' },
  { value: 'amount', label: 'Dollars' },
]

type PartFieldsProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  kind: Path<T>
  value: Path<T>
  label: string
  /** Beside the value: `Percent off`, `Percent of the total`. */
  percent: string
  amount: string
  kinds?: readonly KindChoice[]
}

export function PartFields<T extends FieldValues>({
  form,
  kind,
  value,
  label,
  percent,
  amount,
  kinds = PART_CHOICES,
}: PartFieldsProps<T>) {
  const chosen: string = form.watch(kind)
  const error = form.getFieldState(value, form.formState).error?.message
  const hasValue = chosen === 'percent' || chosen === 'amount'
  return (
    // By itself the choice has room for its longest words.
    <div className={classNames('grid items-start gap-3', hasValue ? 'grid-cols-2' : 'sm:grid-cols-2')}>
      <Field label={label} unmarked>
        {(wiring) => (
          <select className="select text-ellipsis" {...form.register(kind)} {...wiring}>
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
          {(wiring) => (
            <input
              className="input tabular-nums"
              inputMode="decimal"
              autoComplete="off"
              aria-required
              {...form.register(value)}
              {...wiring}
            />
          )}
        </Field>
      )}
    </div>
  )
}
