// Form of one settings part, saved on its own and synced with other devices.
import type { ReactNode } from 'react'
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form'
import { Form, type FormSchema, ignoreFailure } from '@/ui/form'
import { stripErrorPrefix } from '../lib/strip-error-prefix'
import { SyncSavedValues } from './sync-saved-values'
import { FormSaveBar } from './save-bar'

type SettingsFormProps<T extends FieldValues> = {
  label: string
  /** The name of the part in the settings; none for the organization. */
  part?: string
  schema: FormSchema<T>
  saved: T
  /** Gets the changed fields only; returns all values after saving. */
  onSave: (changed: Partial<T>) => Promise<T>
  children: (form: UseFormReturn<T>) => ReactNode
}

/** Fields changed in the form; concurrent changes of another device are kept. */
function getChangedValues<T extends FieldValues>(
  values: T,
  initialValues: Readonly<Record<string, unknown>>,
): Partial<T> {
  const isChanged = ([field, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(initialValues[field])
  return Object.fromEntries(Object.entries(values).filter(isChanged)) as Partial<T>
}

export function SettingsForm<T extends FieldValues>({
  label,
  part,
  schema,
  saved,
  onSave,
  children,
}: SettingsFormProps<T>) {
  const save = async (values: T, form: UseFormReturn<T>) => {
    try {
      form.reset(await onSave(getChangedValues(values, form.formState.defaultValues ?? {})))
    } catch (error) {
      throw part === undefined ? error : stripErrorPrefix(error, part)
    }
  }
  return (
    <Form
      label={label}
      schema={schema}
      defaultValues={saved as DefaultValues<T>}
      onSubmit={save}
      onFailure={ignoreFailure}
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
    >
      {(form) => (
        <>
          <SyncSavedValues form={form} saved={saved} />
          {children(form)}
          <FormSaveBar form={form} />
        </>
      )}
    </Form>
  )
}
