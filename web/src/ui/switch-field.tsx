import { type ReactNode, useId } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { t } from '@/lib/i18n'
import { FieldStatus } from './field-status'

type SwitchFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  hint?: ReactNode
}

export function SwitchField<T extends FieldValues>({ form, name, label, hint }: SwitchFieldProps<T>) {
  const hintId = useId()
  return (
    <label className="flex min-h-12 cursor-pointer items-center justify-between gap-4">
      <span className="min-w-0">
        <span className="font-semibold">{label}</span>{' '}
        <span aria-hidden="true">
          <FieldStatus name={name} label={label} show={(value) => (value === true ? t('On') : t('Off'))} />
        </span>
        {hint && (
          <span id={hintId} className="block text-caption text-muted">
            {hint}
          </span>
        )}
      </span>
      <input
        type="checkbox"
        // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props -- a native checkbox has its own state
        role="switch"
        className="toggle toggle-primary shrink-0"
        aria-describedby={hint ? hintId : undefined}
        {...form.register(name)}
      />
    </label>
  )
}
