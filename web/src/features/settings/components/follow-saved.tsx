// A form follows what is saved elsewhere, another device for instance, unless somebody is typing in it.
import { useEffect } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'

type FollowSavedProps<T extends FieldValues> = { form: UseFormReturn<T>; saved: T }

export function FollowSaved<T extends FieldValues>({ form, saved }: FollowSavedProps<T>) {
  const text = JSON.stringify(saved)
  const { isDirty } = form.formState
  useEffect(() => {
    if (!isDirty && JSON.stringify(form.getValues()) !== text) form.reset(JSON.parse(text) as T)
  }, [form, text, isDirty])
  return null
}
