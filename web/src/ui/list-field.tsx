// List input: entries added one at a time, each removable.
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { type FieldValues, type Path, useController, type UseFormReturn } from 'react-hook-form'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Button } from './button'
import { Field } from './field'
import { FieldStatus } from './field-status'
import { Icon } from './icon'

type ListFieldProps<T extends FieldValues> = {
  form: UseFormReturn<T>
  name: Path<T>
  label: string
  hint?: ReactNode
  most: number
  /** Normalized entry; undefined refuses it. */
  read: (typed: string) => string | undefined
  refused: string
  show?: (value: string) => string
  empty: string
  input?: { type?: 'text' | 'tel'; inputMode?: 'text' | 'tel'; autoComplete?: string }
  /** Keeps the entered order. */
  ordered?: boolean
}

const identity = (value: string) => value

export function ListField<T extends FieldValues>({
  form,
  name,
  label,
  hint,
  most,
  read,
  refused,
  show = identity,
  empty,
  input,
  ordered = false,
}: ListFieldProps<T>) {
  const { field, fieldState } = useController({ control: form.control, name })
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const values: readonly string[] = field.value

  const add = () => {
    if (typed.trim() === '') return
    const value = read(typed)
    if (value === undefined) return setProblem(refused)
    if (values.length >= most) return setProblem(t('At most {most}. Take one out first.', { most }))
    if (!values.includes(value)) field.onChange([...values, value])
    setTyped('')
    setProblem(undefined)
  }
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }

  return (
    <Field
      label={label}
      unmarked
      hint={hint}
      error={problem ?? fieldState.error?.message}
      status={
        <FieldStatus
          name={name}
          label={label}
          show={(value) =>
            Array.isArray(value) && value.length > 0 ? value.map(String).map(show).join(', ') : t('None')
          }
        />
      }
    >
      {(aria) => (
        <div className="grid gap-2">
          {values.length === 0 ? (
            <p className="text-note text-muted">{empty}</p>
          ) : (
            <ul className={classNames(ordered ? 'grid gap-2' : 'flex flex-wrap gap-2')}>
              {values.map((value, at) => (
                <li
                  key={value}
                  className="flex min-h-11 items-center gap-1 rounded-field border border-primary/30 pl-3"
                >
                  {ordered && <span className="w-5 text-muted tabular-nums">{at + 1}.</span>}
                  <span className="min-w-0 flex-1 wrap-anywhere">{show(value)}</span>
                  <button
                    type="button"
                    aria-label={t('Remove {name}', { name: show(value) })}
                    className="btn btn-ghost size-11 rounded-field p-0"
                    onClick={() => field.onChange(values.filter((other) => other !== value))}
                  >
                    <Icon name="close" className="size-4" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <div className="flex gap-2">
            <input
              className="input min-w-0 flex-1"
              enterKeyHint="enter"
              {...input}
              {...aria}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={addOnEnter}
              onBlur={field.onBlur}
            />
            <Button variant="secondary" icon="plus" onClick={add}>
              {t('Add')}
            </Button>
          </div>
        </div>
      )}
    </Field>
  )
}
