// Form of one settings part. Each field saves by itself and follows what other devices save.
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import type { ReactNode } from 'react'
import { type DefaultValues, type FieldValues, useForm, type UseFormReturn } from 'react-hook-form'
import { FieldStatusProvider } from '@/ui/field-status'
// Also sets zod up for the content policy.
import '@/ui/form'
import type { FormSchema } from '@/ui/form'
import { useAutosave } from '../lib/use-autosave'
import { AutosaveBar } from './autosave-bar'

type SettingsFormProps<T extends FieldValues> = {
  label: string
  /** The name of the part in the settings; none for the organization. */
  part?: string
  schema: FormSchema<T>
  saved: T
  /** Gets the changed fields only; returns values as saved, the changed ones at least. */
  onSave: (changed: Partial<T>) => Promise<Partial<T>>
  children: (form: UseFormReturn<T>) => ReactNode
}

export function SettingsForm<T extends FieldValues>({
  label,
  part,
  schema,
  saved,
  onSave,
  children,
}: SettingsFormProps<T>) {
  const form = useForm<T>({
    resolver: standardSchemaResolver<T, unknown, T>(schema),
    defaultValues: saved as DefaultValues<T>,
    mode: 'onSubmit',
    reValidateMode: 'onSubmit',
  })
  const { host, state, isDirty, changed, retry, onBlur, onKeyDown } = useAutosave({ form, schema, part, saved, onSave })
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- events of its fields
    <form
      aria-label={label}
      noValidate
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
      onBlur={onBlur}
      onKeyDown={onKeyDown}
      onSubmit={(event) => event.preventDefault()}
    >
      <FieldStatusProvider host={host}>{children(form)}</FieldStatusProvider>
      <AutosaveBar state={state} isDirty={isDirty} changed={changed} onRetry={retry} />
    </form>
  )
}
