// Options of a document (good, better, best), one chosen by the customer.
import { useFieldArray, type UseFormReturn } from 'react-hook-form'
import { Button, IconButton } from '@/ui/button'
import { FieldError, TextField } from '@/ui/field'
import { SwitchField } from '@/ui/switch-field'
import { MIN_OPTIONS, LINE_ITEM_LIMITS, type LineItemsValues } from './schema'

type FormProps = { form: UseFormReturn<LineItemsValues> }

export function OptionEditor({ form }: FormProps) {
  const hasOptions = form.watch('hasOptions')
  return (
    <section aria-label="Options" className="grid gap-3">
      <SwitchField
        form={form}
        name="hasOptions"
        label="Offer options"
        hint="Good, better, best: the customer chooses one"
      />
      {hasOptions && <OptionRows form={form} />}
    </section>
  )
}

const createOptionId = (taken: readonly string[]) => {
  const numbered = (count: number): string =>
    taken.includes(`option-${count}`) ? numbered(count + 1) : `option-${count}`
  return numbered(taken.length + 1)
}

function OptionRows({ form }: FormProps) {
  const list = useFieldArray({ control: form.control, name: 'options' })
  const options = form.watch('options')
  const recommended = form.watch('recommended')
  const { error } = form.getFieldState('options', form.formState)
  const remove = (at: number) => {
    const gone = options[at]?.optionId
    // What belonged to it belongs to each from now on, in sight, instead of vanishing with it.
    for (const [line, { optionId }] of form.getValues('lines').entries()) {
      if (optionId === gone) form.setValue(`lines.${line}.optionId`, '', { shouldDirty: true })
    }
    if (recommended === gone)
      form.setValue('recommended', options.find(({ optionId }) => optionId !== gone)?.optionId ?? '', {
        shouldDirty: true,
      })
    list.remove(at)
  }
  return (
    <>
      <ul className="grid gap-3">
        {list.fields.map(({ id }, at) => {
          const { optionId = '', name = '' } = options[at] ?? {}
          return (
            <li key={id} className="grid gap-2 rounded-field border border-primary/22 p-3">
              <div className="grid items-start gap-2 sm:grid-cols-2 sm:gap-3">
                <TextField
                  form={form}
                  name={`options.${at}.name`}
                  label={`Option ${at + 1}`}
                  required
                  maxLength={LINE_ITEM_LIMITS.name}
                  autoComplete="off"
                />
                <TextField
                  form={form}
                  name={`options.${at}.description`}
                  label="Description"
                  maxLength={LINE_ITEM_LIMITS.description}
                  autoComplete="off"
                />
              </div>
              <div className="flex min-h-12 items-center justify-between gap-3">
                <label className="flex min-h-11 cursor-pointer items-center gap-3">
                  <input
                    type="radio"
                    className="radio radio-primary radio-sm shrink-0"
                    value={optionId}
                    {...form.register('recommended')}
                  />
                  <span>
                    Recommended<span className="sr-only">: {name}</span>
                  </span>
                </label>
                {list.fields.length > MIN_OPTIONS && (
                  <IconButton label={`Remove option ${at + 1}`} icon="trash" onClick={() => remove(at)} />
                )}
              </div>
            </li>
          )
        })}
      </ul>
      {error?.message && <FieldError>{error.message}</FieldError>}
      {list.fields.length < LINE_ITEM_LIMITS.options && (
        <Button
          variant="secondary"
          icon="plus"
          onClick={() =>
            list.append({
              optionId: createOptionId(options.map(({ optionId }) => optionId)),
              name: '',
              description: '',
            })
          }
        >
          Add option
        </Button>
      )}
    </>
  )
}
