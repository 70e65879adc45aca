// Cells of a line. Only the first line of a column shows its labels; all have them.
import type { ReactNode } from 'react'
import type { FieldPath, UseFormReturn } from 'react-hook-form'
import type { LineItemsValues } from '@/features/documents/schema'
import { classNames } from '@/lib/class-names'
import { FieldError } from '@/ui/field'

type LineCellProps = {
  form: UseFormReturn<LineItemsValues>
  name: FieldPath<LineItemsValues>
  /** Of the label. */ id: string
  label: string
  /** Whether the label is in sight. */ isLabelled: boolean
  className?: string
  /** The error describes the field, if there is one. */ children: (errorId: string | undefined) => ReactNode
}

export function LineCell({ form, name, id, label, isLabelled, className, children }: LineCellProps) {
  const error = form.getFieldState(name, form.formState).error?.message
  const errorId = error ? `${id}-error` : undefined
  return (
    <div className={classNames('grid min-w-0 content-start gap-1', className)}>
      <span id={id} className={isLabelled ? 'text-caption text-muted' : 'sr-only'}>
        {label}
      </span>
      {children(errorId)}
      {errorId && <FieldError id={errorId}>{error}</FieldError>}
    </div>
  )
}

type PriceInputProps = {
  form: UseFormReturn<LineItemsValues>
  at: number
  labelId: string
  describedBy: string | undefined
  onEnter: () => void
}

export function PriceInput({ form, at, labelId, describedBy, onEnter }: PriceInputProps) {
  return (
    <span className="relative block">
      <input
        data-part="price"
        className="input pl-7! text-right tabular-nums"
        inputMode="decimal"
        autoComplete="off"
        enterKeyHint="next"
        placeholder="0.00"
        aria-required
        aria-labelledby={labelId}
        aria-describedby={describedBy}
        aria-invalid={describedBy ? true : undefined}
        {...form.register(`lines.${at}.unitPrice`)}
        // A copied price is typed over, not deleted first.
        onFocus={(event) => event.target.select()}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          onEnter()
        }}
      />
      <span
        aria-hidden="true"
        className="pointer-events-none absolute inset-y-0 left-3 z-10 grid place-items-center text-muted"
      >
        $
      </span>
    </span>
  )
}
