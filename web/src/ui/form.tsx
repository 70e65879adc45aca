// The form: checked on submit, checked again on change, the first wrong field focused, the server's word per field.
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { type ReactNode, useEffect, useState } from 'react'
import { type DefaultValues, type FieldValues, type Path, useForm, type UseFormReturn } from 'react-hook-form'
import { config as zodConfig } from 'zod/mini'
import { ApiError } from '@/api/client'
import { useReportDirty } from '@/lib/dirty-forms'

// The schema compiler would try to build a function from text, which the content policy refuses and reports.
zodConfig({ jitless: true })

/** What `Form` needs of a schema: any standard schema whose output is its input. */
export type FormSchema<T extends FieldValues> = Parameters<typeof standardSchemaResolver<T, unknown, T>>[0]

type FormProps<T extends FieldValues> = {
  schema: FormSchema<T>
  defaultValues: DefaultValues<T>
  /** May throw: an ApiError's field messages go to their fields, then `onFailure` hears of it. */
  onSubmit: (values: T, form: UseFormReturn<T>) => Promise<void>
  onFailure?: (error: unknown) => void
  /** Called when the person's own input is not complete. */
  onInvalid?: () => void
  /** The browser's own checks of `required` and `type="email"`. */
  nativeValidation?: boolean
  label: string
  className?: string
  children: (form: UseFormReturn<T>) => ReactNode
}

/** The server's `lines[3].unitPrice` is the form's `lines.3.unitPrice`. */
const toPath = (field: string) => field.replaceAll(/\[(\d+)\]/g, '.$1')

/** Puts the server's field messages where they belong and goes to the first; fields the form does not have are the screen's matter. */
function applyServerErrors<T extends FieldValues>(form: UseFormReturn<T>, error: unknown): void {
  if (!(error instanceof ApiError)) return
  const known = form.getValues()
  const own = Object.entries(error.errors)
    .map(([field, message]) => [toPath(field), message] as const)
    .filter(([path]) => (path.split('.')[0] ?? '') in known)
  for (const [index, [field, message]] of own.entries()) {
    form.setError(field as Path<T>, { type: 'server', message }, { shouldFocus: index === 0 })
  }
}

export function Form<T extends FieldValues>(props: FormProps<T>) {
  const form = useForm<T>({
    resolver: standardSchemaResolver<T, unknown, T>(props.schema),
    defaultValues: props.defaultValues,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
  })
  const { isSubmitting, isDirty } = form.formState
  useReportDirty(isDirty)
  const [refusal, setRefusal] = useState<unknown>(null)

  // Once the fieldset is enabled again, for a disabled field cannot take the focus.
  useEffect(() => {
    if (!isSubmitting && refusal !== null) applyServerErrors(form, refusal)
  }, [form, isSubmitting, refusal])

  const submit = form.handleSubmit(
    async (values) => {
      setRefusal(null)
      try {
        await props.onSubmit(values, form)
      } catch (error) {
        setRefusal(error)
        if (!props.onFailure) throw error
        props.onFailure(error)
      }
    },
    () => props.onInvalid?.(),
  )
  return (
    <form
      aria-label={props.label}
      noValidate={!props.nativeValidation}
      className={props.className}
      onSubmit={(event) => void submit(event)}
    >
      <fieldset disabled={isSubmitting} className="contents">
        {props.children(form)}
      </fieldset>
    </form>
  )
}
