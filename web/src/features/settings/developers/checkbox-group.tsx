import { type ReactNode, useId } from 'react'
import { FieldError } from '@/ui/field'

type CheckboxGroupProps<T extends string> = {
  label: string
  error?: string | undefined
  options: readonly { value: T; label: ReactNode; detail?: string }[]
  chosen: readonly T[]
  onChange: (chosen: T[]) => void
}

export function CheckboxGroup<T extends string>({ label, error, options, chosen, onChange }: CheckboxGroupProps<T>) {
  const errorId = useId()
  const detailId = useId()
  const toggle = (value: T, isOn: boolean) =>
    onChange(options.map((one) => one.value).filter((one) => (one === value ? isOn : chosen.includes(one))))
  return (
    <fieldset className="grid gap-1" aria-describedby={error ? errorId : undefined}>
      <legend className="mb-1 font-semibold">{label}</legend>
      {options.map((one) => (
        <div key={one.value}>
          <label className="flex min-h-12 cursor-pointer items-center gap-3">
            <input
              type="checkbox"
              className="checkbox checkbox-primary"
              checked={chosen.includes(one.value)}
              aria-describedby={one.detail ? `${detailId}-${one.value}` : undefined}
              onChange={(event) => toggle(one.value, event.target.checked)}
            />
            <span>{one.label}</span>
          </label>
          {one.detail && (
            <p id={`${detailId}-${one.value}`} className="pl-9 text-note">
              {one.detail}
            </p>
          )}
        </div>
      ))}
      {error && <FieldError id={errorId}>{error}</FieldError>}
    </fieldset>
  )
}
