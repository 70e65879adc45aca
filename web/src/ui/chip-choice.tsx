// One of a few as a row of chips, all of them in sight on a desk; on a phone the row is longer than the screen, and
// moves by itself.
import { type ReactNode, useId } from 'react'

const CHIP =
  'flex min-h-11 cursor-pointer items-center rounded-full border border-primary/30 px-4 text-note font-semibold whitespace-nowrap has-checked:border-primary has-checked:bg-primary/12 has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-primary'

type Chip<Value extends string> = {
  value: Value
  label: string
  /** Language of the label, where it is another than the page's. */ lang?: string
}

type ChipChoiceProps<Value extends string> = {
  /** Label for screen readers. */
  legend: string
  chips: readonly Chip<Value>[]
  value: Value
  onChange: (value: Value) => void
  /** Further chips in the same row. */
  children?: ReactNode
}

export function ChipChoice<Value extends string>({ legend, chips, value, onChange, children }: ChipChoiceProps<Value>) {
  const name = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{legend}</legend>
      <div className="relative -mx-4 flex gap-2 overflow-x-auto px-4 py-0.5 [scrollbar-width:none] sm:mx-0 sm:flex-wrap sm:px-0">
        {chips.map((chip) => (
          <label key={chip.value} lang={chip.lang} className={CHIP}>
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={chip.value === value}
              onChange={() => onChange(chip.value)}
            />
            {chip.label}
          </label>
        ))}
        {children}
      </div>
    </fieldset>
  )
}

type ChipToggleProps = { label: string; checked: boolean; onChange: (checked: boolean) => void }

/** A chip that is on or off by itself. */
export function ChipToggle({ label, checked, onChange }: ChipToggleProps) {
  return (
    <label className={CHIP}>
      <input
        type="checkbox"
        className="sr-only"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
