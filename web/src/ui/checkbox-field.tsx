// A box to tick, with its sentence as the target.
import type { ReactNode } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'

type CheckboxFieldProps<T extends FieldValues> = { form: UseFormReturn<T>; name: Path<T>; children: ReactNode }

export function CheckboxField<T extends FieldValues>({ form, name, children }: CheckboxFieldProps<T>) {
  return (
    <label className="flex min-h-12 cursor-pointer items-start gap-3 py-2 text-note text-muted">
      <input type="checkbox" className="checkbox checkbox-primary mt-0.5" {...form.register(name)} />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </label>
  )
}
