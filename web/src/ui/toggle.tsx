import { type ReactNode, useId } from 'react'

type ToggleProps = { label: string; hint?: ReactNode; checked: boolean; onChange: (checked: boolean) => void }

export function Toggle({ label, hint, checked, onChange }: ToggleProps) {
  const hintId = useId()
  return (
    <label className="flex min-h-12 cursor-pointer items-center justify-between gap-4">
      <span>
        {label}
        {hint && (
          <span id={hintId} className="block text-caption text-muted">
            {hint}
          </span>
        )}
      </span>
      <input
        type="checkbox"
        role="switch"
        className="toggle toggle-primary"
        checked={checked}
        aria-checked={checked}
        aria-describedby={hint ? hintId : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
    </label>
  )
}
