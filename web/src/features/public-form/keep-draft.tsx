// Keeps the draft of the form it stands in.
import type { FieldValues, UseFormReturn } from 'react-hook-form'
import { useKeptDraft } from './draft'

type KeepDraftProps<T extends FieldValues> = { form: UseFormReturn<T>; name: string; org: string | null }

export function KeepDraft<T extends FieldValues>({ form, name, org }: KeepDraftProps<T>) {
  useKeptDraft(form, name, org)
  return null
}
