// Quantity with a button on each side.
import type { UseFormReturn } from 'react-hook-form'
import { parseScaled } from '@/features/documents/document-totals'
import type { LineItemsValues } from '@/features/documents/schema'
import { IconButton } from '@/ui/button'
import { columnTexts as texts } from './messages'

const ONE = 1000n

/** One more or one less; what cannot be read counts as none. Undefined where nothing would be left. */
export function stepQuantity(typed: string, step: 1 | -1): string | undefined {
  const next = (parseScaled(typed, 3) ?? 0n) + (step === 1 ? ONE : -ONE)
  return next > 0n ? String(Number(next) / 1000) : undefined
}

type QuantityStepperProps = {
  form: UseFormReturn<LineItemsValues>
  at: number
  /** In its column, from 1. */ place: number
  labelId: string
  describedBy: string | undefined
}

export function QuantityStepper({ form, at, place, labelId, describedBy }: QuantityStepperProps) {
  const name = `lines.${at}.quantity` as const
  const step = (by: 1 | -1) => {
    const next = stepQuantity(form.getValues(name), by)
    if (next !== undefined) form.setValue(name, next, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
  }
  return (
    <div className="flex items-center">
      <IconButton label={texts.oneLess(place)} icon="minus" className="shrink-0" onClick={() => step(-1)} />
      <input
        className="input w-full min-w-12 px-1! text-center tabular-nums"
        inputMode="decimal"
        autoComplete="off"
        aria-required
        aria-labelledby={labelId}
        aria-describedby={describedBy}
        aria-invalid={describedBy ? true : undefined}
        {...form.register(name)}
      />
      <IconButton label={texts.oneMore(place)} icon="plus" className="shrink-0" onClick={() => step(1)} />
    </div>
  )
}
