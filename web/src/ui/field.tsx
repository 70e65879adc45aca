// A labelled field: it owns label, hint, error and what ties them together for a screen reader.
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { Icon } from './icon'

type Wiring = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

type FieldProps = {
  label: string
  /** Adds the star and says so to screen readers; the check itself is the schema's. */
  required?: boolean | undefined
  /** Neither star nor "optional": in a list or beside an example value the words would mislead. */
  unmarked?: boolean
  hint?: ReactNode
  error?: string | undefined
  className?: string | undefined
  children: (wiring: Wiring) => ReactNode
}

export function Field({ label, required, unmarked = false, hint, error, className, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = classNames(hint ? hintId : null, error ? errorId : null)
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>
      <label htmlFor={id} className="font-semibold">
        {label}
        {required && !unmarked && (
          <span aria-hidden="true" className="text-secondary">
            {' '}
            *
          </span>
        )}
        {!required && !unmarked && <span className="font-normal text-muted"> (optional)</span>}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': error ? true : undefined,
      })}
      {hint && (
        <p id={hintId} className="text-caption text-muted">
          {hint}
        </p>
      )}
      {error && <FieldError id={errorId}>{error}</FieldError>}
    </div>
  )
}

/** The sentence under a field that says what is wrong. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-note text-error">
      <Icon name="alert" className="mt-0.5 size-4" />
      {children}
    </p>
  )
}

type Bound<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  required?: boolean
  hint?: ReactNode
  className?: string
}

function errorOf<T extends FieldValues>(form: UseFormReturn<T>, name: Path<T>): string | undefined {
  return form.getFieldState(name, form.formState).error?.message
}

type TextFieldProps<T extends FieldValues> = Bound<T> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'form' | 'name' | 'required'> & {
    /** Leaves the check of emptiness to the browser too. */
    nativeRequired?: boolean
  }

export function TextField<T extends FieldValues>({
  form,
  name,
  label,
  required,
  hint,
  className,
  nativeRequired,
  ...input
}: TextFieldProps<T>) {
  return (
    <Field label={label} required={required} hint={hint} error={errorOf(form, name)} className={className}>
      {(wiring) => (
        <input
          className="input"
          aria-required={required}
          required={nativeRequired}
          {...input}
          {...form.register(name)}
          {...wiring}
        />
      )}
    </Field>
  )
}

type TextAreaFieldProps<T extends FieldValues> = Bound<T> &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'form' | 'name' | 'required'>

export function TextAreaField<T extends FieldValues>({
  form,
  name,
  label,
  required,
  hint,
  className,
  ...area
}: TextAreaFieldProps<T>) {
  return (
    <Field label={label} required={required} hint={hint} error={errorOf(form, name)} className={className}>
      {(wiring) => (
        <textarea
          rows={4}
          className="textarea"
          aria-required={required}
          {...area}
          {...form.register(name)}
          {...wiring}
        />
      )}
    </Field>
  )
}

type Option = { value: string; label: string }

type SelectFieldProps<T extends FieldValues> = Bound<T> & { placeholder: string; options: readonly Option[] }

export function SelectField<T extends FieldValues>({
  form,
  name,
  label,
  required,
  hint,
  className,
  placeholder,
  options,
}: SelectFieldProps<T>) {
  return (
    <Field label={label} required={required} hint={hint} error={errorOf(form, name)} className={className}>
      {(wiring) => (
        <select className="select" aria-required={required} {...form.register(name)} {...wiring}>
          <option value="">{placeholder}</option>
          {options.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
