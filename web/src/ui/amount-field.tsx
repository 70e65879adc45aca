// An amount of dollars, typed as people write it.
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { Field } from '@/ui/field'

type AmountFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  hint?: string
  /** Has the cursor when the dialog opens. */
  isFirst?: boolean
  required?: boolean
}

export function AmountField<T extends FieldValues>({
  form,
  name,
  label,
  hint,
  isFirst = false,
  required = true,
}: AmountFieldProps<T>) {
  const error = form.getFieldState(name, form.formState).error?.message
  const { ref, ...input } = form.register(name)
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {(aria) => (
        <span className="relative block">
          <input
            className="input pl-8! tabular-nums"
            inputMode="decimal"
            autoComplete="off"
            enterKeyHint="done"
            placeholder="0.00"
            aria-required={required}
            {...input}
            {...aria}
            // What is proposed there is typed over, not deleted first.
            onFocus={isFirst ? (event) => event.target.select() : undefined}
            ref={(field) => {
              ref(field)
              // Read by the browser when it opens the dialog; React's own comes before that, and is lost.
              if (isFirst) field?.setAttribute('autofocus', '')
            }}
          />
          <span
            aria-hidden="true"
            className="pointer-events-none absolute inset-y-0 left-3 z-10 grid place-items-center text-muted"
          >
            $
          </span>
        </span>
      )}
    </Field>
  )
}
