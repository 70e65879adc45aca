import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { usePersistDraft } from './draft'

type PersistDraftProps<T extends FieldValues> = { form: UseFormReturn<T>; name: string; org: string | null }

export function PersistDraft<T extends FieldValues>({ form, name, org }: PersistDraftProps<T>) {
  usePersistDraft(form, name, org)
  return null
}
