// Assumptions of the figures: default margin and minutes per task.
import { t } from '@/lib/i18n'
import { parseMoney } from '@/lib/parse-money'
import { AmountField } from '@/ui/amount-field'
import { Card } from '@/ui/card'
import { NumberField } from '@/ui/number-field'
import { SettingsForm } from '../components/settings-form'
import { useSaveSettings } from '../mutations'
import type { FigureSettings, FigureSettingsPatch } from '../types'
import { FIGURES_LIMITS as LIMITS, figuresSchema, type FiguresValues } from './figures-schema'

const MINUTES = [
  { name: 'autoReplyMinutes', label: t('Time saved by an automatic reply') },
  { name: 'followUpMinutes', label: t('Time saved by a reminder or follow-up') },
  { name: 'schedulingMinutes', label: t('Time saved by a visit booked online') },
] as const

function toFiguresValues({ monthlyOverhead, ...others }: FigureSettings): FiguresValues {
  return { ...others, monthlyOverhead: typeof monthlyOverhead === 'number' ? monthlyOverhead.toFixed(2) : '' }
}

function toFiguresPatch({ monthlyOverhead, ...others }: Partial<FiguresValues>): FigureSettingsPatch {
  return {
    ...others,
    ...(monthlyOverhead === undefined ? {} : { monthlyOverhead: parseMoney(monthlyOverhead) ?? null }),
  }
}

export function FigureSettingsCard({ saved }: { saved: FigureSettings }) {
  const save = useSaveSettings()
  const onSave = async (changed: Partial<FiguresValues>) =>
    toFiguresValues((await save.mutateAsync({ figures: toFiguresPatch(changed) })).figures)
  return (
    <Card title={t('Figures')} icon="chart">
      <SettingsForm
        label={t('Figures')}
        part="figures"
        schema={figuresSchema}
        saved={toFiguresValues(saved)}
        onSave={onSave}
      >
        {(form) => (
          <>
            <NumberField
              form={form}
              name="marginPercent"
              label={t('Your usual margin')}
              unit={t('% of the price')}
              min={LIMITS.marginPercent[0]}
              max={LIMITS.marginPercent[1]}
              hint={t('Used for jobs with no costs entered. Such figures are marked est.')}
            />
            <AmountField
              form={form}
              name="monthlyOverhead"
              label={t('Monthly overhead')}
              required={false}
              hint={t('Rent, insurance, the office: taken off the margin day by day. Empty takes nothing off.')}
            />
            <fieldset className="grid gap-4">
              <legend className="mb-3 font-semibold">{t('Time saved')}</legend>
              {MINUTES.map(({ name, label }) => (
                <NumberField
                  key={name}
                  form={form}
                  name={name}
                  label={label}
                  unit={t('minutes')}
                  min={LIMITS.minutes[0]}
                  max={LIMITS.minutes[1]}
                />
              ))}
            </fieldset>
          </>
        )}
      </SettingsForm>
    </Card>
  )
}
