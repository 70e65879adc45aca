// Single choice: radio buttons as rows or tiles, large enough for touch.
import { useId } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { FieldStatus } from './field-status'

export type ChoiceOption = { value: string; label: string; hint?: string; disabled?: boolean }

type ChoiceFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  hint?: string
  choices: readonly ChoiceOption[]
  className?: string
}

export function ChoiceField<T extends FieldValues>({
  form,
  name,
  label,
  hint,
  choices,
  className,
}: ChoiceFieldProps<T>) {
  const hintId = useId()
  return (
    <fieldset className="min-w-0" aria-describedby={hint ? hintId : undefined}>
      <legend className="mb-1.5 font-semibold">{label}</legend>
      <FieldStatus
        name={name}
        label={label}
        show={(value) => choices.find((choice) => choice.value === value)?.label ?? ''}
      />
      <div className={classNames('grid gap-2', className)}>
        {choices.map((choice) => (
          <label
            key={choice.value}
            className="flex min-h-12 cursor-pointer items-center gap-3 rounded-field border border-primary/30 px-3 py-2 has-checked:border-primary has-checked:bg-primary/10 has-focus-visible:outline-2 has-focus-visible:outline-primary has-disabled:cursor-not-allowed"
          >
            <input
              type="radio"
              value={choice.value}
              className="radio radio-primary radio-sm shrink-0"
              {...form.register(name)}
              disabled={choice.disabled}
            />
            <span className="min-w-0">
              {choice.label}
              {choice.hint && <span className="block text-caption text-muted">{choice.hint}</span>}
            </span>
          </label>
        ))}
      </div>
      {hint && (
        <p id={hintId} className="mt-1.5 text-caption text-muted">
          {hint}
        </p>
      )}
    </fieldset>
  )
}
