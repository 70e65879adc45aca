// Form draft in session storage.
import { useEffect } from 'react'
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { readJson, removeItem, writeJson } from '@/lib/storage'

const keyOf = (form: string, org: string | null) => `toolbox.draft.${form}.${org ?? ''}`

/** The kept draft laid over the empty form; fields the form no longer has are dropped. */
export function readDraft<T extends FieldValues>(form: string, org: string | null, empty: T): T {
  const stored = readJson(sessionStorage, keyOf(form, org))
  if (typeof stored !== 'object' || stored === null) return empty
  const known = Object.entries(stored).filter(
    ([field, value]) => field in empty && typeof value === typeof empty[field],
  )
  return { ...empty, ...Object.fromEntries(known) }
}

/** Forgets the draft, once it has been sent. */
export function clearDraft(form: string, org: string | null): void {
  removeItem(sessionStorage, keyOf(form, org))
}

/** Keeps the form's values at each change. */
export function usePersistDraft<T extends FieldValues>(form: UseFormReturn<T>, name: string, org: string | null): void {
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ values }) => {
          writeJson(sessionStorage, keyOf(name, org), values)
        },
      }),
    [form, name, org],
  )
}
