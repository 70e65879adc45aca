import { type KeyboardEvent, useState } from 'react'
import { useController, type UseFormReturn } from 'react-hook-form'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Field, FieldError, SelectField } from '@/ui/field'
import { settingsMessages as texts } from '../messages'
import { ESTIMATE_LIMITS, type EstimateSettingsValues, parsePercent } from './estimate-settings-schema'

type TaxRate = EstimateSettingsValues['taxRates'][number]

export function TaxRates({ form }: { form: UseFormReturn<EstimateSettingsValues> }) {
  const { field, fieldState } = useController({ control: form.control, name: 'taxRates' })
  const remove = (name: string) => {
    field.onChange(field.value.filter((rate) => rate.name !== name))
    if (form.getValues('defaultTax') === name) form.setValue('defaultTax', '', { shouldDirty: true })
  }
  const add = (rate: TaxRate) => {
    field.onChange([...field.value, rate])
    // Whoever has one tax has it on most lines: forgotten on one, it is paid out of their own pocket.
    if (field.value.length === 0) form.setValue('defaultTax', rate.name, { shouldDirty: true })
  }
  return (
    <section aria-label={t('Tax rates')} className="grid gap-3">
      <h3 className="font-semibold">{t('Tax rates')}</h3>
      {field.value.length === 0 ? (
        <p className="text-note text-muted">{t('None yet: estimates say nothing of tax.')}</p>
      ) : (
        <ul className="grid gap-2">
          {field.value.map(({ name, rate }) => (
            <li key={name} className="flex min-h-12 items-center gap-2 rounded-field border border-primary/30 pl-3">
              <span className="min-w-0 flex-1 wrap-anywhere">
                {name} <span className="text-muted tabular-nums">{rate} %</span>
              </span>
              <IconButton label={t('Remove {name}', { name })} icon="trash" onClick={() => remove(name)} />
            </li>
          ))}
        </ul>
      )}
      {fieldState.error?.message && <FieldError>{fieldState.error.message}</FieldError>}
      <AddRate known={field.value} onAdd={add} />
      {field.value.length > 0 && (
        <SelectField
          form={form}
          name="defaultTax"
          label={t('On a new line')}
          placeholder={t('No tax')}
          options={field.value.map(({ name }) => ({ value: name, label: name }))}
        />
      )}
    </section>
  )
}

/** What is wrong with it; undefined when it can be taken. */
function validateTaxRate(name: string, rate: number | undefined, known: readonly TaxRate[]): string | undefined {
  if (name === '') return texts.paper.rateName
  if (rate === undefined) return texts.paper.rate
  if (known.some((other) => other.name.toLowerCase() === name.toLowerCase())) return texts.paper.rateTwice
  return known.length >= ESTIMATE_LIMITS.rates ? texts.paper.rateMost(ESTIMATE_LIMITS.rates) : undefined
}

function AddRate({ known, onAdd }: { known: readonly TaxRate[]; onAdd: (rate: TaxRate) => void }) {
  const [name, setName] = useState('')
  const [percent, setPercent] = useState('')
  const [error, setFault] = useState<string>()
  const add = () => {
    const rate = parsePercent(percent)
    const problem = validateTaxRate(name.trim(), rate, known)
    setFault(problem)
    if (problem !== undefined || rate === undefined) return
    onAdd({ name: name.trim(), rate })
    setName('')
    setPercent('')
  }
  const addOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <div className="grid gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_6rem] items-end gap-3 sm:grid-cols-[minmax(0,1fr)_6rem_auto]">
        <Field label={t('Name of the tax')} unmarked>
          {(aria) => (
            <input
              className="input"
              maxLength={ESTIMATE_LIMITS.rateName}
              placeholder={t('Sales tax')}
              autoComplete="off"
              {...aria}
              value={name}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={addOnEnter}
            />
          )}
        </Field>
        <Field label={t('Percent')} unmarked>
          {(aria) => (
            <input
              className="input tabular-nums"
              inputMode="decimal"
              placeholder="8.25"
              autoComplete="off"
              {...aria}
              value={percent}
              onChange={(event) => setPercent(event.target.value)}
              onKeyDown={addOnEnter}
            />
          )}
        </Field>
        <Button variant="secondary" icon="plus" className="max-sm:col-span-2" onClick={add}>
          {t('Add tax')}
        </Button>
      </div>
      {error && <FieldError>{error}</FieldError>}
    </div>
  )
}
