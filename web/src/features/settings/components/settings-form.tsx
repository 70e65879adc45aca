// One part of the settings as a form: saved alone, following what others save, its faults beside their fields.
import type { ReactNode } from 'react'
import type { DefaultValues, FieldValues, UseFormReturn } from 'react-hook-form'
import { Form, type FormSchema } from '@/ui/form'
import { ownErrors } from '../lib/own-errors'
import { FollowSaved } from './follow-saved'
import { FormSaveBar } from './save-bar'

type SettingsFormProps<T extends FieldValues> = {
  label: string
  /** The name of the part in the settings; none for the organization. */
  part?: string
  schema: FormSchema<T>
  saved: T
  /** Hears only of what was changed here; gives all values as they stand once saved. */
  onSave: (changed: Partial<T>) => Promise<T>
  children: (form: UseFormReturn<T>) => ReactNode
}

/** What differs from the values the form began with: what another device changed meanwhile is not set back. */
function changedIn<T extends FieldValues>(values: T, began: Readonly<Record<string, unknown>>): Partial<T> {
  const isChanged = ([field, value]: [string, unknown]) => JSON.stringify(value) !== JSON.stringify(began[field])
  return Object.fromEntries(Object.entries(values).filter(isChanged)) as Partial<T>
}

/** The toast of a failure is the command's; the fields show the rest. */
const said = () => undefined

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
      form.reset(await onSave(changedIn(values, form.formState.defaultValues ?? {})))
    } catch (error) {
      throw part === undefined ? error : ownErrors(error, part)
    }
  }
  return (
    <Form
      label={label}
      schema={schema}
      defaultValues={saved as DefaultValues<T>}
      onSubmit={save}
      onFailure={said}
      className="grid grid-cols-[minmax(0,1fr)] gap-5"
    >
      {(form) => (
        <>
          <FollowSaved form={form} saved={saved} />
          {children(form)}
          <FormSaveBar form={form} />
        </>
      )}
    </Form>
  )
}
