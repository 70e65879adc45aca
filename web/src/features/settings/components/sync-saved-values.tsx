// Resets a clean form when the saved values change elsewhere.
import { useEffect } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'

type SyncSavedValuesProps<T extends FieldValues> = { form: UseFormReturn<T>; saved: T }

export function SyncSavedValues<T extends FieldValues>({ form, saved }: SyncSavedValuesProps<T>) {
  const text = JSON.stringify(saved)
  const { isDirty } = form.formState
  useEffect(() => {
    if (!isDirty && JSON.stringify(form.getValues()) !== text) form.reset(JSON.parse(text) as T)
  }, [form, text, isDirty])
  return null
}
