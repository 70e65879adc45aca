// Form: validated on submit, then on change; focuses the first error; maps server errors to fields.
import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { type ReactNode, useEffect, useState } from 'react'
import { type DefaultValues, type FieldValues, type Path, useForm, type UseFormReturn } from 'react-hook-form'
import { config as zodConfig } from 'zod/mini'
import { ApiError } from '@/api/client'
import { useReportDirty } from '@/lib/dirty-forms'

// JIT compilation needs `eval`, which the content policy forbids.
zodConfig({ jitless: true })

/** Standard schema with equal input and output. */
export type FormSchema<T extends FieldValues> = Parameters<typeof standardSchemaResolver<T, unknown, T>>[0]

type FormProps<T extends FieldValues> = {
  schema: FormSchema<T>
  defaultValues: DefaultValues<T>
  /** May throw: ApiError field messages go to their fields, then `onFailure` runs. */
  onSubmit: (values: T, form: UseFormReturn<T>) => Promise<void>
  onFailure?: (error: unknown) => void
  /** Called on failed validation. */
  onInvalid?: () => void
  nativeValidation?: boolean
  label: string
  className?: string
  children: (form: UseFormReturn<T>) => ReactNode
}

/** `onFailure` of a form whose errors are shown by a toast and beside the fields. */
export const ignoreFailure = () => undefined

/** The server's `lines[3].unitPrice` is the form's `lines.3.unitPrice`. */
const toPath = (field: string) => field.replaceAll(/\[(\d+)\]/g, '.$1')

/** Server errors of known fields; focuses the first. Other fields are left to the screen. */
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

  // After the fieldset is enabled: a disabled field cannot be focused.
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
