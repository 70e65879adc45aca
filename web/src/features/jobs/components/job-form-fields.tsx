// Fields shared by the add and edit forms.
import { useId } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { PRIORITY_LEVELS } from '@/domain/job'
import { LEAD_SERVICES } from '@/domain/lead'
import { t } from '@/lib/i18n'
import { Field } from '@/ui/field'

type Bound<T extends FieldValues> = { form: UseFormReturn<T>; name: Path<T> }

/** Any words, with the usual services to choose from; stored are the lead form's own values where it is one of them. */
export function ServiceField<T extends FieldValues>({ form, name, hint }: Bound<T> & { hint?: string }) {
  const listId = useId()
  const error = form.getFieldState(name, form.formState).error?.message
  return (
    <Field label={t('Service')} unmarked hint={hint} error={error}>
      {(aria) => (
        <>
          <input className="input" list={listId} autoComplete="off" maxLength={80} {...form.register(name)} {...aria} />
          <datalist id={listId}>
            {LEAD_SERVICES.map(({ value, label }) => (
              <option key={value}>{label}</option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

/** The value of a service known by its label, else the words themselves. */
export function toServiceValue(typed: string): string {
  return LEAD_SERVICES.find(({ label }) => label.toLowerCase() === typed.trim().toLowerCase())?.value ?? typed.trim()
}

export function PriorityField<T extends FieldValues>({ form, name }: Bound<T>) {
  return (
    <Field label={t('Priority')} unmarked>
      {(aria) => (
        <select className="select" {...form.register(name)} {...aria}>
          {Object.entries(PRIORITY_LEVELS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
