// Password input with a show control.
import { useState } from 'react'
import type { FieldValues, Path, RegisterOptions, UseFormReturn } from 'react-hook-form'
import { t } from '@/lib/i18n'
import { Field } from './field'
import { IconButton } from './button'

type PasswordFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  autoComplete: 'current-password' | 'new-password'
  hint?: string
}

/** A tap on the form's button leaves the field first: a message that appears meanwhile would move the button away. */
const TAP_MS = 200

/** A new password is judged when its field is left, and again while a found fault is mended. */
function judgeEarly<T extends FieldValues>(form: UseFormReturn<T>, name: Path<T>): RegisterOptions<T, Path<T>> {
  return {
    onBlur: () => {
      if (form.getValues(name) !== '') setTimeout(() => void form.trigger(name), TAP_MS)
    },
    onChange: () => {
      if (form.getFieldState(name).error) void form.trigger(name)
    },
  }
}

export function PasswordField<T extends FieldValues>({ form, name, label, autoComplete, hint }: PasswordFieldProps<T>) {
  const [isShown, setIsShown] = useState(false)
  const error = form.getFieldState(name, form.formState).error?.message
  const field = label.toLowerCase()
  return (
    <Field label={label} required hint={hint} error={error}>
      {(aria) => (
        <div className="relative">
          <input
            type={isShown ? 'text' : 'password'}
            autoComplete={autoComplete}
            autoCapitalize="none"
            spellCheck={false}
            aria-required
            className="input pr-13"
            {...form.register(name, autoComplete === 'new-password' ? judgeEarly(form, name) : {})}
            {...aria}
          />
          <IconButton
            label={isShown ? t('Hide {label}', { label: field }) : t('Show {label}', { label: field })}
            icon={isShown ? 'eye-off' : 'eye'}
            aria-pressed={isShown}
            className="absolute top-0 right-0 z-1 text-muted"
            onClick={() => setIsShown(!isShown)}
          />
        </div>
      )}
    </Field>
  )
}
