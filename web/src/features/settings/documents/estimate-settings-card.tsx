import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { ChoiceField } from '@/ui/choice-field'
import { Field, TextAreaField, TextField } from '@/ui/field'
import { NumberField } from '@/ui/number-field'
import type { UseFormReturn } from 'react-hook-form'
import { SettingsForm } from '../components/settings-form'
import { useSaveOrganization, useSaveSettings } from '../mutations'
import type { EstimateSettings, EstimateSettingsPatch, Organization } from '../types'
import { LogoField } from './logo-field'
import {
  ESTIMATE_LIMITS,
  estimateSettingsSchema,
  type EstimateSettingsValues,
  parseDeposit,
} from './estimate-settings-schema'
import { TaxRates } from './tax-rates'

type EstimateSettingsCardProps = { organization: Organization; saved: EstimateSettings }

type LicenseValues = Pick<EstimateSettingsValues, 'licenceLine'>
type EstimateValues = Omit<EstimateSettingsValues, 'licenceLine'>

const toLicenseValues = ({ licenceLine }: Organization): LicenseValues => ({ licenceLine: licenceLine ?? '' })

function toEstimateValues({
  quoteHours,
  prefix,
  validDays,
  deposit,
  taxRates,
  defaultTax,
  terms,
}: EstimateSettings): EstimateValues {
  const value = typeof deposit.value === 'number' ? String(deposit.value) : ''
  return {
    quoteHours,
    prefix,
    validDays,
    taxRates,
    terms,
    defaultTax: defaultTax ?? '',
    deposit: { kind: deposit.kind, value },
  }
}

function toPatch({ deposit, defaultTax, ...others }: Partial<EstimateValues>): EstimateSettingsPatch {
  return {
    ...others,
    ...(deposit === undefined ? {} : { deposit: { kind: deposit.kind, value: parseDeposit(deposit) ?? null } }),
    ...(defaultTax === undefined ? {} : { defaultTax: defaultTax === '' ? null : defaultTax }),
  }
}

export function EstimateSettingsCard({ organization, saved }: EstimateSettingsCardProps) {
  const saveSettings = useSaveSettings()
  const saveOrganization = useSaveOrganization()
  /** Returns what was answered only: what this render knows of the other part may be older than the form. */
  const save = async ({ licenceLine, ...changed }: Partial<EstimateSettingsValues>) => {
    const answered: Partial<EstimateSettingsValues> = {}
    // The line belongs to the business, because other documents show it too.
    if (licenceLine !== undefined) {
      const patch = { licenceLine: licenceLine === '' ? null : licenceLine }
      Object.assign(answered, toLicenseValues(await saveOrganization.mutateAsync(patch)))
    }
    if (Object.keys(changed).length > 0) {
      const settings = await saveSettings.mutateAsync({ estimates: toPatch(changed) })
      Object.assign(answered, toEstimateValues(settings.estimates))
    }
    return answered
  }
  return (
    <Card title={t('Estimates and invoices')} icon="document">
      <div className="grid gap-5">
        <LogoField logoUrl={organization.logoUrl ?? null} />
        <SettingsForm
          label={t('Estimates and invoices')}
          part="estimates"
          schema={estimateSettingsSchema}
          saved={{ ...toLicenseValues(organization), ...toEstimateValues(saved) }}
          onSave={save}
        >
          {(form) => (
            <>
              <TextField
                form={form}
                name="licenceLine"
                label={t('License line')}
                maxLength={ESTIMATE_LIMITS.licence}
                autoComplete="off"
                placeholder={t('Licensed and insured, IL 055-012345')}
                hint={t('Shown at the bottom of every document')}
              />
              <NumberField
                form={form}
                name="quoteHours"
                label={t('A quote takes at most')}
                unit={t('hours')}
                min={ESTIMATE_LIMITS.quoteHours[0]}
                max={ESTIMATE_LIMITS.quoteHours[1]}
                hint={t('Your quote page promises it, and we warn you before it is over')}
              />
              <div className="grid gap-5 sm:grid-cols-2">
                <TextField
                  form={form}
                  name="prefix"
                  label={t('Before the number')}
                  maxLength={ESTIMATE_LIMITS.prefix}
                  autoComplete="off"
                  autoCapitalize="characters"
                  hint={t('As in EST-1001')}
                />
                <NumberField
                  form={form}
                  name="validDays"
                  label={t('Good for')}
                  unit={t('days')}
                  min={ESTIMATE_LIMITS.validDays[0]}
                  max={ESTIMATE_LIMITS.validDays[1]}
                  hint={t('0 means without end')}
                />
              </div>
              <DepositFields form={form} />
              <TaxRates form={form} />
              <TextAreaField
                form={form}
                name="terms"
                label={t('Terms')}
                rows={4}
                maxLength={ESTIMATE_LIMITS.terms}
                hint={t('Shown under every estimate; the customer agrees to them')}
              />
            </>
          )}
        </SettingsForm>
      </div>
    </Card>
  )
}

const DEPOSITS = [
  { value: 'none', label: t('None') },
  { value: 'percent', label: t('A share of the total') },
  { value: 'amount', label: t('A fixed amount') },
] as const

function DepositFields({ form }: { form: UseFormReturn<EstimateSettingsValues> }) {
  const kind = form.watch('deposit.kind')
  const { error } = form.getFieldState('deposit', form.formState)
  const errorText = form.getFieldState('deposit.value', form.formState).error?.message ?? error?.message
  return (
    <div className="grid gap-3">
      <ChoiceField
        form={form}
        name="deposit.kind"
        label={t('Deposit on approval')}
        choices={DEPOSITS}
        className="sm:grid-cols-3"
      />
      {kind !== 'none' && (
        <Field
          label={kind === 'percent' ? t('Share') : t('Amount')}
          required
          error={errorText}
          hint={kind === 'amount' ? t('At most the total of the estimate') : undefined}
        >
          {(aria) => (
            <span className="flex items-center gap-3">
              <input
                className="input w-36! tabular-nums"
                inputMode="decimal"
                autoComplete="off"
                aria-required
                {...form.register('deposit.value')}
                {...aria}
              />
              <span className="text-muted">{kind === 'percent' ? '%' : t('dollars')}</span>
            </span>
          )}
        </Field>
      )}
    </div>
  )
}
