import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'

type HoneypotProps<T extends FieldValues> = { form: UseFormReturn<T>; name: Path<T> }

export function Honeypot<T extends FieldValues>({ form, name }: HoneypotProps<T>) {
  return (
    <div aria-hidden="true" className="absolute -left-[200vw] size-px overflow-hidden">
      <label>
        Company
        <input type="text" tabIndex={-1} autoComplete="off" {...form.register(name)} />
      </label>
    </div>
  )
}
