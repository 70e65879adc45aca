import { useId } from 'react'
import { formatDuration } from '@/lib/format/duration'

type MinuteChipsProps = {
  label: string
  choices: readonly number[]
  value: number
  onChange: (minutes: number) => void
}

export function MinuteChips({ label, choices, value, onChange }: MinuteChipsProps) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-semibold">{label}</legend>
      <div className="grid grid-cols-4 gap-2">
        {choices.map((minutes) => (
          <label
            key={minutes}
            className="grid min-h-12 cursor-pointer place-items-center rounded-field border border-primary/40 px-0.5 text-center font-semibold whitespace-nowrap tabular-nums max-[22rem]:text-note has-checked:border-primary has-checked:bg-primary/15 has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-primary"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={minutes === value}
              onChange={() => onChange(minutes)}
            />
            {formatDuration(minutes)}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
