// Labelled field: label, hint, error and their ARIA wiring.
import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react'
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { FieldStatus } from './field-status'
import { Icon } from './icon'

type FieldAria = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

type FieldProps = {
  label: string
  /** Marker only; the schema validates. */
  required?: boolean | undefined
  /** Without a required or optional mark. */
  unmarked?: boolean
  hint?: ReactNode
  error?: string | undefined
  className?: string | undefined
  /** Stands beside the label. */
  status?: ReactNode
  children: (aria: FieldAria) => ReactNode
}

export function Field({ label, required, unmarked = false, hint, error, className, status, children }: FieldProps) {
  const id = useId()
  const hintId = `${id}-hint`
  const errorId = `${id}-error`
  const describedBy = classNames(hint ? hintId : null, error ? errorId : null)
  return (
    <div className={classNames('grid content-start gap-1.5', className)}>
      <div className="flex flex-wrap items-center gap-x-2">
        <label htmlFor={id} className="font-semibold">
          {label}
          {required && !unmarked && (
            <span aria-hidden="true" className="text-secondary">
              {' '}
              *
            </span>
          )}
          {!required && !unmarked && <span className="font-normal text-muted"> {t('(optional)')}</span>}
        </label>
        {status}
      </div>
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

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-note text-error">
      <Icon name="alert" className="mt-0.5 size-4" />
      {children}
    </p>
  )
}

type BoundFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  required?: boolean
  hint?: ReactNode
  className?: string
}

function getFieldError<T extends FieldValues>(form: UseFormReturn<T>, name: Path<T>): string | undefined {
  return form.getFieldState(name, form.formState).error?.message
}

type TextFieldProps<T extends FieldValues> = BoundFieldProps<T> &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'form' | 'name' | 'required'> & {
    /** Browser validation of emptiness too. */
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
    <Field
      label={label}
      required={required}
      hint={hint}
      error={getFieldError(form, name)}
      className={className}
      status={<FieldStatus name={name} label={label} />}
    >
      {(aria) => (
        <input
          className="input"
          aria-required={required}
          required={nativeRequired}
          {...input}
          {...form.register(name)}
          {...aria}
        />
      )}
    </Field>
  )
}

type TextAreaFieldProps<T extends FieldValues> = BoundFieldProps<T> &
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
    <Field
      label={label}
      required={required}
      hint={hint}
      error={getFieldError(form, name)}
      className={className}
      status={<FieldStatus name={name} label={label} />}
    >
      {(aria) => (
        <textarea rows={4} className="textarea" aria-required={required} {...area} {...form.register(name)} {...aria} />
      )}
    </Field>
  )
}

type Option = { value: string; label: string }

type SelectFieldProps<T extends FieldValues> = BoundFieldProps<T> & { placeholder: string; options: readonly Option[] }

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
    <Field
      label={label}
      required={required}
      hint={hint}
      error={getFieldError(form, name)}
      className={className}
      status={
        <FieldStatus
          name={name}
          label={label}
          show={(value) => options.find((option) => option.value === value)?.label ?? placeholder}
        />
      }
    >
      {(aria) => (
        <select className="select" aria-required={required} {...form.register(name)} {...aria}>
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
