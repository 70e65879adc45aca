import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { Field } from './field'
import { FieldStatus } from './field-status'

type NumberFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  hint?: string
  unit: string
  min: number
  max: number
}

export function NumberField<T extends FieldValues>({ form, name, label, hint, unit, min, max }: NumberFieldProps<T>) {
  const error = form.getFieldState(name, form.formState).error?.message
  return (
    <Field
      label={label}
      unmarked
      hint={hint}
      error={error}
      status={<FieldStatus name={name} label={label} show={(value) => `${String(value)} ${unit}`} />}
    >
      {(aria) => (
        <span className="flex items-center gap-3">
          <input
            type="number"
            inputMode="numeric"
            min={min}
            max={max}
            step={1}
            aria-required
            className="input w-28! tabular-nums"
            {...form.register(name, { valueAsNumber: true })}
            {...aria}
          />
          <span className="text-muted">{unit}</span>
        </span>
      )}
    </Field>
  )
}
